"""An agent with pydantic-ai, on the Responses API."""

import argparse
import asyncio
import os
import subprocess
import sys
from pathlib import Path

from pydantic_ai import Agent, BinaryContent
from pydantic_ai.capabilities import WebSearch
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAICompaction, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

CONVERSATION = Path.home() / "conversation.json"

parser = argparse.ArgumentParser()
parser.add_argument("--clients")
parser.add_argument("--resume", action="store_true")
parser.add_argument("--image")
parser.add_argument("prompt")
options = parser.parse_args()

provider = OpenAIProvider(
    base_url=f"{os.environ['GATEWAY_URL']}/v1", api_key=os.environ["GATEWAY_KEY"]
)
capabilities = [WebSearch()]
if "COMPACT_AT_TOKENS" in os.environ:
    # The provider's endpoint compacts what is there when the program continues.
    capabilities.append(OpenAICompaction(trigger=lambda messages: options.resume and len(messages) > 2))
agent = Agent(OpenAIResponsesModel(os.environ["MODEL"], provider=provider), capabilities=capabilities)


@agent.tool_plain
def edit_file(path: str, before: str, after: str) -> str:
    """Replaces a text of a file."""
    file = Path(path)
    content = file.read_text()
    if before not in content:
        return f"{path} does not contain the text"
    file.write_text(content.replace(before, after, 1))
    return f"{path} is changed"


@agent.tool_plain
def run_command(command: str) -> str:
    """Runs a command of the shell and returns what it prints."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    status = f"exit code {done.returncode}\n" if done.returncode else ""
    return status + done.stdout + done.stderr or "done"


@agent.tool_plain
async def delegate(prompt: str) -> str:
    """Gives a part of the task to another agent and returns its answer."""
    return (await agent.run(prompt)).output


async def main() -> None:
    history = None
    if options.resume and CONVERSATION.exists():
        history = ModelMessagesTypeAdapter.validate_json(CONVERSATION.read_bytes())
    content = [options.prompt]
    if options.image:
        content.append(BinaryContent(Path(options.image).read_bytes(), media_type="image/png"))
    result = await agent.run(content, message_history=history)
    CONVERSATION.write_bytes(result.all_messages_json())
    print(result.output)


try:
    asyncio.run(main())
except Exception as error:
    print(f"Error: {error}", file=sys.stderr)
    sys.exit(1)
