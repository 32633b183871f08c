"""aiogram against the Telegram emulator, as a user of aiogram would write it."""

import asyncio
import sys
import time

from aiogram import Bot, Dispatcher, F
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.enums import ParseMode
from aiogram.exceptions import (
    TelegramBadRequest,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.filters import Command
from aiogram.types import (
    BotCommand,
    CallbackQuery,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    Message,
    MessageEntity,
    ReplyParameters,
)

from harness import ANN, Emulators, Report, expect

# What one chat takes: the control run goes 5 % below and above it.
CHAT_PER_SECOND = 1.0
BOT_PER_SECOND = 30.0
RUN_SECONDS = 48.0


class World:
    """Makes bots: each check has its own, so that checks share no limits."""

    def __init__(self, emulators):
        self.emulators = emulators
        self.server = TelegramAPIServer.from_base(emulators.urls["telegram"])
        self.next_id = 7_000_001
        self.bots = []

    async def bot(self):
        token = f"{self.next_id}:strangers-secret"
        username = f"stranger_{self.next_id}_bot"
        self.next_id += 1
        await self.emulators.control("add_bot", token=token, username=username)
        bot = Bot(token, session=AiohttpSession(api=self.server))
        self.bots.append(bot)
        return bot

    async def act(self, bot, action, **arguments):
        return await self.emulators.control(action, bot=bot.token, **arguments)

    async def close(self):
        for bot in self.bots:
            await bot.session.close()


async def refused(kind, call, text):
    try:
        await call
    except kind as error:
        expect(text in str(error), f"{text!r} not in {error}")
        return
    raise AssertionError(f"not refused: {text}")


async def who_am_i(world):
    bot = await world.bot()
    me = await bot.get_me()
    expect(me.is_bot and f"{me.id}:" in bot.token, me)
    stranger = Bot("7999999:nobody", session=bot.session)
    await refused(TelegramUnauthorizedError, stranger.get_me(), "Unauthorized")
    await bot.delete_webhook(drop_pending_updates=True)
    info = await bot.get_webhook_info()
    expect(info.url == "" and info.pending_update_count == 0, info)


async def polling(world):
    """The dispatcher receives text, commands, edits and presses, and answers them."""
    bot, seen, done = await world.bot(), [], asyncio.Event()
    dispatcher = Dispatcher()
    go = InlineKeyboardButton(text="Go", callback_data="go:1")

    @dispatcher.message(Command("start"))
    async def on_start(message: Message):
        seen.append("command")
        await message.answer("Started", reply_markup=InlineKeyboardMarkup(inline_keyboard=[[go]]))

    @dispatcher.edited_message()
    async def on_edit(message: Message):
        seen.append(f"edit {message.text}")

    @dispatcher.message(F.text)
    async def on_text(message: Message):
        seen.append(f"text {message.text} from {message.from_user.first_name}")
        await message.reply("Echo: " + message.text)

    @dispatcher.callback_query()
    async def on_press(query: CallbackQuery):
        seen.append(f"press {query.data}")
        await query.answer("Gone")
        await query.message.edit_text("Pressed")
        done.set()

    running = asyncio.create_task(dispatcher.start_polling(bot, handle_signals=False))
    try:
        expect(await world.act(bot, "wait_polling", ms=10_000), "aiogram does not poll")
        hello = await world.act(bot, "user_text", user=ANN, text="hello 😀")
        expect(await wait(world, bot, 1, "Echo: hello 😀"), "no echo")
        await world.act(bot, "user_edit", user=ANN, message_id=hello, text="hello again")
        await world.act(bot, "user_text", user=ANN, text=f"/start@{(await bot.me()).username}")
        expect(await wait(world, bot, 2, "Started"), "no answer to the command")
        chat = await world.act(bot, "chat", user=ANN)
        button = [m for m in chat["messages"] if m["from_bot"]][-1]
        expect([m for m in chat["messages"] if m["reply_to"] == hello], "the echo is no reply")
        await world.act(bot, "user_press", user=ANN, message_id=button["id"], data="go:1")
        await asyncio.wait_for(done.wait(), 10)
    finally:
        await dispatcher.stop_polling()
        await running
    expected = ["text hello 😀 from Ann", "edit hello again", "command", "press go:1"]
    expect(seen == expected, seen)
    chat = await world.act(bot, "chat", user=ANN)
    expect(chat["callbacks"][0]["answer"]["text"] == "Gone", chat["callbacks"])
    expect([m for m in chat["messages"] if m["text"] == "Pressed"], "not edited")
    pending = await world.act(bot, "pending_updates")
    expect(not pending, f"unconfirmed: {pending}")


async def wait(world, bot, messages, contains):
    return await world.act(
        bot, "wait_chat", user=ANN, messages=messages, contains=contains, ms=10_000
    )


async def sending(world):
    bot = await world.bot()
    bold = [MessageEntity(type="bold", offset=3, length=4)]
    message = await bot.send_message(ANN, "😀 bold", entities=bold)
    expect(message.text == "😀 bold" and message.entities[0].extract_from(message.text) == "bold",
           message)
    message = await bot.send_message(ANN, "<b>x</b> &lt;", parse_mode=ParseMode.HTML)
    expect(message.text == "x <" and message.html_text == "<b>x</b> &lt;", message)
    typing = await bot.send_chat_action(ANN, "typing")
    chat = await world.act(bot, "chat", user=ANN)
    expect(typing and chat["typing"], chat["typing"])
    draft = await bot.send_message_draft(chat_id=ANN, draft_id=1, text="growing")
    chat = await world.act(bot, "chat", user=ANN)
    expect(draft and chat["draft"]["text"] == "growing", chat["draft"])


async def refusals(world):
    bot = await world.bot()
    await world.act(bot, "add_user", id=5002, first_name="Bob")
    long = bot.send_message(ANN, "x" * 4097)
    await refused(TelegramBadRequest, long, "message is too long")
    await refused(TelegramBadRequest, bot.send_message(ANN, " "), "message text is empty")
    await refused(TelegramBadRequest, bot.send_message(1, "x"), "chat not found")
    await world.act(bot, "add_user", id=5003, first_name="Cid")
    broken = bot.send_message(5002, "a.b", parse_mode=ParseMode.MARKDOWN_V2)
    await refused(TelegramBadRequest, broken, "can't parse entities: Character '.' is reserved")
    gone = ReplyParameters(message_id=999)
    reply = bot.send_message(5002, "x", reply_parameters=gone)
    await refused(TelegramBadRequest, reply, "message to be replied not found")
    await world.act(bot, "user_block", user=5003)
    blocked = bot.send_message(5003, "x")
    await refused(TelegramForbiddenError, blocked, "bot was blocked by the user")
    old = bot.answer_callback_query("1")
    await refused(TelegramBadRequest, old, "query is too old")


async def editing(world):
    bot = await world.bot()
    message = await bot.send_message(ANN, "one")
    edited = await message.edit_text("two")
    expect(edited.text == "two" and edited.edit_date, edited)
    await refused(TelegramBadRequest, edited.edit_text("two"), "message is not modified")
    other = await world.bot()
    missing = other.edit_message_text("x", chat_id=ANN, message_id=999)
    await refused(TelegramBadRequest, missing, "message to edit not found")
    expect(await message.delete(), "not deleted")
    chat = await world.act(bot, "chat", user=ANN)
    expect([m["deleted"] for m in chat["messages"]] == [True], chat["messages"])


async def commands(world):
    bot = await world.bot()
    await bot.set_my_commands([BotCommand(command="stop", description="Stop")])
    expect((await bot.get_my_commands())[0].command == "stop", "not kept")
    await bot.delete_my_commands()
    expect(not await bot.get_my_commands(), "not deleted")


async def flood(world):
    """The fourth message at once is refused; after retry_after the chat takes it."""
    bot = await world.bot()
    for _ in range(3):
        await bot.send_message(ANN, "x")
    try:
        await bot.send_message(ANN, "x")
    except TelegramRetryAfter as error:
        retry_after = error.retry_after
    else:
        raise AssertionError("not refused")
    expect(retry_after == 1, retry_after)
    await asyncio.sleep(retry_after)
    await bot.send_message(ANN, "x")
    return f"retry_after {retry_after}"


async def lost_answer(world):
    """The message is shown although the client sees a broken connection."""
    bot = await world.bot()
    await world.emulators.control(
        "fault", method="sendMessage", chat=5009, kind={"fault": "cut_after"}
    )
    await world.act(bot, "add_user", id=5009, first_name="Eve")
    await refused(TelegramNetworkError, bot.send_message(5009, "shown"), "")
    chat = await world.act(bot, "chat", user=5009)
    expect([m["text"] for m in chat["messages"]] == ["shown"], chat["messages"])


async def conflict(world):
    """A second poller pushes the first one out."""
    bot = await world.bot()
    first = asyncio.create_task(bot.get_updates(timeout=20, offset=-1))
    expect(await world.act(bot, "wait_polling", ms=10_000), "not polling")
    second = asyncio.create_task(bot.get_updates(timeout=20, offset=0))
    try:
        await first
        raise AssertionError("no conflict")
    except Exception as error:  # noqa: BLE001: aiogram's class is checked by its text
        expect("terminated by other getUpdates request" in str(error), error)
    await world.act(bot, "user_text", user=ANN, text="for the second")
    updates = await second
    expect(updates[0].message.text == "for the second", updates)


async def paced(world, per_second, users, seconds):
    """Sends at a steady pace, whatever comes back; returns sent and refused."""
    bot = await world.bot()
    start, pending, sent = time.monotonic(), [], 0

    async def send(number):
        try:
            await bot.send_message(users[number % len(users)], f"message {number}")
        except TelegramRetryAfter:
            return 1
        return 0

    while (at := sent / per_second) < seconds:
        await asyncio.sleep(max(0.0, start + at - time.monotonic()))
        pending.append(asyncio.create_task(send(sent)))
        sent += 1
    return sent, sum(await asyncio.gather(*pending))


async def keeps(world, per_second, users, seconds, over):
    sent, refused_calls = await paced(world, per_second, users, seconds)
    if over:
        expect(refused_calls > 0, f"none of {sent} refused")
    else:
        expect(refused_calls == 0, f"{refused_calls} of {sent} refused")
    return f"{refused_calls} of {sent} refused"


async def main(binary):
    report = Report()
    async with Emulators(binary) as emulators:
        await emulators.control("add_user", id=ANN, first_name="Ann", username="ann")
        crowd = list(range(20_000, 20_100))
        for user in crowd:
            await emulators.control("add_user", id=user, first_name=f"User {user}")
        world = World(emulators)
        for check in (who_am_i, polling, sending, refusals, editing, commands, flood,
                      lost_answer, conflict):
            await report.check(check.__name__.replace("_", " "), check(world))
        # The control run: all at once, each with its own bot.
        runs = []
        for percent, over in ((95, False), (105, True), (300, True)):
            share = percent / 100
            seconds = 10.0 if percent > 200 else RUN_SECONDS
            runs.append(report.check(
                f"one chat at {percent} % of its limit",
                keeps(world, CHAT_PER_SECOND * share, [ANN], seconds, over), 80))
            runs.append(report.check(
                f"one bot at {percent} % of its limit",
                keeps(world, BOT_PER_SECOND * share, crowd, seconds, over), 80))
        await asyncio.gather(*runs)
        await world.close()
    return report.finish()


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main(sys.argv[1])) else 0)
