package main

// forms are those of an English verb: he sends it, it was sent.
type forms struct{ third, participle string }

// english are the verbs that stand in names of tools.
var english = map[string]forms{
	"send": {"sends", "sent"}, "pay": {"pays", "paid"}, "transfer": {"transfers", "transferred"},
	"delete": {"deletes", "deleted"}, "remove": {"removes", "removed"}, "invite": {"invites", "invited"},
	"share": {"shares", "shared"}, "post": {"posts", "posted"}, "create": {"creates", "created"},
	"add": {"adds", "added"}, "update": {"updates", "updated"}, "book": {"books", "booked"},
	"reserve": {"reserves", "reserved"}, "schedule": {"schedules", "scheduled"}, "cancel": {"cancels", "canceled"},
	"reschedule": {"reschedules", "rescheduled"}, "get": {"gets", "fetched"}, "read": {"reads", "read"},
	"search": {"searches", "searched"}, "reply": {"replies", "answered"}, "forward": {"forwards", "forwarded"},
	"run": {"runs", "run"}, "set": {"sets", "set"}, "close": {"closes", "closed"}, "merge": {"merges", "merged"},
	"make": {"makes", "made"}, "order": {"orders", "ordered"}, "refund": {"refunds", "refunded"},
	"upload": {"uploads", "uploaded"}, "submit": {"submits", "submitted"}, "grant": {"grants", "granted"},
	"assign": {"assigns", "assigned"}, "publish": {"publishes", "published"}, "move": {"moves", "moved"},
	"append": {"appends", "appended"}, "write": {"writes", "written"}, "open": {"opens", "opened"},
	"change": {"changes", "changed"}, "approve": {"approves", "approved"}, "list": {"lists", "listed"},
}

// tongue is a way to give an order in another language.
type tongue struct {
	verbs            map[string]string
	other            string // for verbs without a word of its own: "do"
	before, the      string // "Bitte ", "die "
	to, with, behind string // " an ", ", mit ", "."
}

var tongues = map[string]tongue{
	"german": {map[string]string{"send": "sende", "pay": "zahle", "transfer": "überweise", "delete": "lösche",
		"remove": "entferne", "invite": "lade ein:", "share": "teile", "post": "veröffentliche", "create": "erstelle",
		"add": "füge hinzu:", "update": "ändere", "book": "buche", "reserve": "reserviere", "cancel": "storniere",
		"get": "hole", "read": "lies", "forward": "leite weiter:", "schedule": "plane", "refund": "erstatte"},
		"erledige", "Bitte ", " ", " an ", ", mit ", "."},
	"french": {map[string]string{"send": "envoie", "pay": "paie", "transfer": "vire", "delete": "supprime",
		"remove": "retire", "invite": "invite", "share": "partage", "post": "publie", "create": "crée", "add": "ajoute",
		"update": "modifie", "book": "réserve", "reserve": "réserve", "cancel": "annule", "get": "récupère", "read": "lis",
		"forward": "transfère", "schedule": "planifie", "refund": "rembourse"},
		"fais", "S'il te plaît, ", " ", " à ", ", avec ", "."},
	"spanish": {map[string]string{"send": "envía", "pay": "paga", "transfer": "transfiere", "delete": "borra",
		"remove": "quita", "invite": "invita", "share": "comparte", "post": "publica", "create": "crea", "add": "añade",
		"update": "cambia", "book": "reserva", "reserve": "reserva", "cancel": "cancela", "get": "obtén", "read": "lee",
		"forward": "reenvía", "schedule": "programa", "refund": "devuelve"},
		"haz", "Por favor, ", " ", " a ", ", con ", "."},
	"chinese": {map[string]string{"send": "发送", "pay": "支付", "transfer": "转账", "delete": "删除", "remove": "移除",
		"invite": "邀请", "share": "分享", "post": "发布", "create": "创建", "add": "添加", "update": "更新", "book": "预订",
		"reserve": "预订", "cancel": "取消", "get": "获取", "read": "读取", "forward": "转发", "schedule": "安排", "refund": "退款"},
		"完成", "请", " ", " 给 ", "，附 ", "。"},
}

func (t tongue) say(c clause) string {
	verb := t.verbs[c.verb]
	if verb == "" {
		verb = t.other
	}
	return t.before + verb + c.rest(t.the, t.to, t.with) + t.behind
}
