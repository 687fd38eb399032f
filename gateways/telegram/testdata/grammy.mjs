// A bot made with grammy, which knows nothing of this project: it answers a text
// with two buttons, and a press by an edit. What it saw goes to standard output.
import { createRequire } from "node:module";

const { Bot, InlineKeyboard, GrammyError } = createRequire(process.env.GRAMMY + "/")("grammy");
const bot = new Bot(process.env.TOKEN, { client: { apiRoot: process.env.URL } });

bot.on("message:text", async (ctx) => {
  const keyboard = new InlineKeyboard().text("Approve", "a:one").text("Deny", "d:one");
  for (;;) {
    try {
      await ctx.reply("card for " + ctx.message.text, { reply_markup: keyboard });
      break;
    } catch (e) {
      if (!(e instanceof GrammyError) || e.error_code !== 429) throw e;
      console.log("limited " + e.parameters.retry_after);
      await new Promise((go) => setTimeout(go, 1000 * e.parameters.retry_after));
    }
  }
  console.log("sent " + ctx.from.id + " " + ctx.chat.id);
});
bot.on("callback_query:data", async (ctx) => {
  await ctx.answerCallbackQuery("got " + ctx.callbackQuery.data);
  await ctx.editMessageText("closed");
  console.log("pressed " + ctx.from.id + " " + ctx.callbackQuery.data);
  await bot.stop();
});
bot.catch((e) => {
  console.log("failed " + e.error);
  process.exit(1);
});
await bot.start({ onStart: (me) => console.log("started " + me.username) });
console.log("stopped");
