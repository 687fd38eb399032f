"""A bot made with python-telegram-bot 13, which knows nothing of this project: it
answers a text with two buttons, and a press by an edit. What it saw goes to
standard output."""
import os
import threading
import time
import warnings

warnings.filterwarnings("ignore")
from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import RetryAfter
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
    say("sent", update.effective_user.id, update.effective_chat.id)


def press(update, context):
    q = update.callback_query
    q.answer("got " + q.data)
    q.edit_message_text("closed")
    say("pressed", q.from_user.id, q.data)
    pressed.set()


def failed(update, context):
    say("failed", type(context.error).__name__, context.error)


updater = Updater(os.environ["TOKEN"], base_url=os.environ["URL"] + "/bot")
updater.dispatcher.add_handler(MessageHandler(Filters.text, text))
updater.dispatcher.add_handler(CallbackQueryHandler(press))
updater.dispatcher.add_error_handler(failed)
updater.start_polling(timeout=2)
say("started", updater.bot.username)
pressed.wait()
updater.stop()
say("stopped")
