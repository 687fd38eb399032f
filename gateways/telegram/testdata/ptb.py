"""A bot made with python-telegram-bot 13, which knows nothing of this project: it
answers a text with two buttons, and a press by an edit, first by polling and then
through a webhook. What it saw goes to standard output."""
import http.server
import json
import logging
import os
import threading
import time
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.error import Conflict, RetryAfter, TelegramError
from telegram.ext import CallbackQueryHandler, Filters, MessageHandler, Updater

pressed = threading.Event()


def say(*words):
    print(*words, flush=True)


def text(update, context):
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Approve", callback_data="a:one"), InlineKeyboardButton("Deny", callback_data="d:one")]])
    while True:
        try:
            update.message.reply_text("card for " + update.message.text, reply_markup=keyboard)
            break
        except RetryAfter as e:
            say("limited", int(e.retry_after))
            time.sleep(e.retry_after)
        except TelegramError as e:
            if not e.message.endswith("(500)"):
                raise
            say("failed 500")
    say("sent", update.effective_user.id, update.effective_chat.id)


def press(update, context):
    q = update.callback_query
    q.answer("got " + q.data)
    q.edit_message_text("closed")
    say("pressed", q.from_user.id, q.data)
    pressed.set()


def failed(update, context):
    if isinstance(context.error, Conflict):
        say("conflict 409")
    else:
        say("wrong", type(context.error).__name__, context.error)


class Hook(http.server.BaseHTTPRequestHandler):
    """The webhook. This version of the library does not look at the secret itself."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        known = self.headers["X-Telegram-Bot-Api-Secret-Token"] == os.environ["SECRET"]
        if known:
            dispatcher.process_update(Update.de_json(json.loads(body), updater.bot))
        self.send_response(200 if known else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


updater = Updater(os.environ["TOKEN"], base_url=os.environ["URL"] + "/bot")
dispatcher = updater.dispatcher
dispatcher.add_handler(MessageHandler(Filters.text, text))
dispatcher.add_handler(CallbackQueryHandler(press))
dispatcher.add_error_handler(failed)
say("started", updater.bot.username)
updater.start_polling(timeout=5)
pressed.wait()
updater.stop()
pressed.clear()

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
threading.Thread(target=server.serve_forever).start()
url = "http://127.0.0.1:%d/" % server.server_port
updater.bot.set_webhook(url, api_kwargs={"secret_token": os.environ["SECRET"]})
try:
    updater.bot.get_updates()
except Conflict:
    say("conflict 409")
say("hooked", url)
pressed.wait()
server.shutdown()
server.server_close()
say("stopped")
