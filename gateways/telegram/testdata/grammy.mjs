// A bot made with grammy, which knows nothing of this project: it answers a text
// with two buttons, and a press by an edit, first by polling and then through a
// webhook. What it saw goes to standard output.
import http from "node:http";
import { createRequire } from "node:module";

const { Bot, InlineKeyboard, GrammyError, webhookCallback } = createRequire(process.env.NODE_JUDGES + "/")("grammy");
const bot = new Bot(process.env.TOKEN, { client: { apiRoot: process.env.URL } });
let pressed; // what happens after a press

bot.on("message:text", async (ctx) => {
  const keyboard = new InlineKeyboard().text("Approve", "a:one").text("Deny", "d:one");
  for (;;) {
    try {
      await ctx.reply("card for " + ctx.message.text, { reply_markup: keyboard });
      break;
    } catch (e) {
      if (!(e instanceof GrammyError)) throw e;
      if (e.error_code === 429) {
        console.log("limited " + e.parameters.retry_after);
        await new Promise((go) => setTimeout(go, 1000 * e.parameters.retry_after));
      } else if (e.error_code >= 500) {
        console.log("failed " + e.error_code);
      } else throw e;
    }
  }
  console.log("sent " + ctx.from.id + " " + ctx.chat.id);
});
bot.on("callback_query:data", async (ctx) => {
  await ctx.answerCallbackQuery("got " + ctx.callbackQuery.data);
  await ctx.editMessageText("closed");
  console.log("pressed " + ctx.from.id + " " + ctx.callbackQuery.data);
  await pressed();
});
bot.catch((e) => {
  console.log("wrong " + e.error);
  process.exit(1);
});

// conflict says that somebody else reads this bot's updates.
function conflict(e) {
  if (!(e instanceof GrammyError) || e.error_code !== 409) throw e;
  console.log("conflict " + e.error_code);
}

pressed = () => bot.stop();
try {
  await bot.start({ onStart: (me) => console.log("started " + me.username) });
} catch (e) {
  conflict(e);
}
await bot.start();

const server = http.createServer(webhookCallback(bot, "http", { secretToken: process.env.SECRET }));
await new Promise((go) => server.listen(0, "127.0.0.1", go));
const url = "http://127.0.0.1:" + server.address().port + "/";
await bot.api.setWebhook(url, { secret_token: process.env.SECRET });
await bot.api.getUpdates().catch(conflict);
pressed = () => server.close(() => console.log("stopped"));
console.log("hooked " + url);
