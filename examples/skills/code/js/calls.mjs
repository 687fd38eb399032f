// Which call does what: an effect, and the places of its operands. Names are without
// node:, .promises and Sync.

const table = (rows) => new Map(rows.flatMap(([effect, where, names]) => names.split(" ").map((n) => [n, [effect, where]])));

export const CALLS = table([
  ["delete", [0], "fs.unlink fs.rm fs.rmdir fs-extra.remove fs-extra.emptyDir rimraf rimraf.rimraf rimraf.sync del"],
  ["overwrite", [0], "fs.writeFile fs.appendFile fs.chown fs.lchown fs.createWriteStream fs.mkdir fs.utimes fs-extra.outputFile fs-extra.writeJson"],
  ["chmod", [0], "fs.chmod fs.fchmod"],
  ["size", [], "Buffer.alloc Buffer.allocUnsafe Array crypto.randomBytes"],
  ["truncate", [0], "fs.truncate fs.ftruncate"],
  ["show", [0, 1], "console.log console.info console.error console.table console.dir process.stdout.write util.inspect"],
  ["lookup", [0], "dns.lookup dns.resolve dns.resolve4 dns.resolveTxt"],
  ["tamper", [], "process.setUncaughtExceptionCaptureCallback module.register Module._load"],
  ["watch", [], "clipboardy.read clipboardy.readSync screenshot"],
  ["read", [0], "fs.readFile fs.createReadStream fs.readdir fs.opendir fs.readlink"],
  ["open", [0, 1], "fs.open"],
  ["copy", [0, 1], "fs.copyFile fs.cp fs.link fs.symlink fs-extra.copy"],
  ["move", [0, 1], "fs.rename fs-extra.move"],
  ["run", [0], "child_process.exec execa.command execaCommand shelljs.exec"],
  ["run", [0, 1], "child_process.execFile child_process.spawn child_process.fork execa execa.execa cross-spawn"],
  ["text", [0], "eval Function vm.runInNewContext vm.runInThisContext vm.runInContext vm.Script require import setTimeoutText"],
  ["fetch", [0, 1], "fetch http.get https.get http.request https.request axios axios.get got got.get node-fetch undici.fetch undici.request request superagent.get"],
  ["send", [0, 1, 2], "axios.post axios.put axios.patch got.post got.put superagent.post superagent.post().send WebSocket().send ws().send http.request().write https.request().write http.request().end https.request().end navigator.sendBeacon"],
  ["raw", [0, 1], "net.connect().write net.createConnection().write net.Socket().write net.connect().end dgram.createSocket().send tls.connect().write"],
  ["dial", [0], "net.connect net.createConnection net.Socket().connect dgram.createSocket tls.connect"],
  ["listen", [], "http.createServer().listen https.createServer().listen net.createServer().listen express().listen fastify().listen koa().listen dgram.createSocket().bind WebSocketServer ws.Server ws.WebSocketServer"],
  ["kill", [], "process.kill ps-node.kill tree-kill fkill process.abort"],
  ["accounts", [], "process.setuid process.setgid process.seteuid process.setegid process.setgroups process.initgroups"],
  ["library", [], "process.dlopen process.binding ffi-napi.Library koffi.load module.createRequire"],
  ["mail", [0], "nodemailer.createTransport().sendMail"],
  ["encrypt", [], "crypto.createCipheriv"],
  ["spawn", [], "cluster.fork worker_threads.Worker"],
]);

// By the name of a method, of whatever object.
export const METHODS = new Map([
  ...["query", "execute", "exec", "run", "raw", "$executeRawUnsafe"].map((n) => [n, "query"]),
  ...["dropDatabase", "dropCollection", "flushall", "flushAll", "flushdb", "dropAllSchemas"].map((n) => [n, "drop"]),
  ...["uploadFrom", "fastPut", "putObject", "uploadFile", "uploadFromDir"].map((n) => [n, "away"]),
  ...["repeat", "padEnd", "padStart"].map((n) => [n, "size"]),
]);

// What may be given any path: it looks at the text, asks whether the file is there, or is a
// function of the program, into which the path is followed.
export const HARMLESS =
  /^(?:function \d|console\.|path\.|String|RegExp|Set|Map|Array|Error|URL|JSON\.|Object\.|fs\.(?:exists|access|stat|lstat)$)|\.(?:get|use|post|put|route|test|match|includes|startsWith|endsWith|push|add|set|has|replace|split|join|concat|indexOf|log)$/;

// What a result came from.
export const SOURCES = new Map([
  ...["fetch", "axios.get", "axios.post", "axios", "got", "node-fetch", "http.get", "https.get", "undici.fetch"].map((n) => [n, "received"]),
  ...["atob", "Buffer.from", "zlib.gunzip", "zlib.inflate", "zlib.brotliDecompress", "unescape", "decodeURIComponent"].map((n) => [n, "decoded"]),
]);

// Modules whose import alone tells.
export const MODULES = new Map([
  ...["iohook", "node-global-key-listener", "uiohook-napi", "screenshot-desktop", "cap", "pcap", "robotjs", "node-record-lpcm16", "node-webcam", "active-win", "node-nmap", "evilscan", "portscanner"].map((n) => [n, "watch"]),
  ...["crontab", "auto-launch", "node-windows", "winreg", "regedit"].map((n) => [n, "persistence"]),
]);

// What a listener is given by events of these names.
export const EVENTS = new Set(["data", "message", "line", "readable"]);
