"""What Open Responses demands of a server, tried on the gateway: every response and every event against its schema."""

import json
import os
import sys
import urllib.error
import urllib.request
from importlib.resources import files

from jsonschema import Draft202012Validator
from websockets.sync.client import connect

URL = os.environ["GATEWAY_URL"]
KEY = os.environ["GATEWAY_KEY"]
MODEL = os.environ["MODEL"]
HEADERS = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
TIMEOUT_SECONDS = 60
ERRORS_SHOWN = 3

SPECIFICATION = next(
    entry for entry in files("openresponses").joinpath("openapi").iterdir() if entry.name.endswith(".json")
)
COMPONENTS = json.loads(SPECIFICATION.read_text())["components"]


# It lets the schema in a response be null only, where every server repeats it.
COMPONENTS["schemas"]["JsonSchemaResponseFormat"]["properties"]["schema"] = {}


def name_of_event(schema):
    return schema.get("properties", {}).get("type", {}).get("enum", [None])[0]


EVENTS = {
    name_of_event(schema): name
    for name, schema in COMPONENTS["schemas"].items()
    if name.endswith("StreamingEvent")
}


class Problem(Exception):
    """Why a case fails."""


def check(value, name):
    schema = {"$ref": f"#/components/schemas/{name}", "components": COMPONENTS}
    errors = list(Draft202012Validator(schema).iter_errors(value))
    if errors:
        found = "; ".join(f"{error.json_path}: {error.message[:160]}" for error in errors[:ERRORS_SHOWN])
        raise Problem(f"{name}: {found}")


def check_events(events):
    for event in events:
        # Events beyond the specification are allowed.
        if event.get("type") in EVENTS:
            check(event, EVENTS[event["type"]])
    numbers = [event["sequence_number"] for event in events]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise Problem(f"the events have the numbers {numbers}")
    last = events[-1]
    if last["type"] not in ("response.completed", "response.incomplete"):
        raise Problem(f"the last event is {last['type']}")
    return last["response"]


def post(path, body):
    request = urllib.request.Request(f"{URL}/v1{path}", json.dumps(body).encode(), HEADERS)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        raise Problem(f"HTTP {error.code}: {error.read().decode()[:300]}") from error


def respond(fields):
    body = {"model": MODEL, **fields}
    if "stream" not in body:
        response = json.loads(post("/responses", body))
        check(response, "ResponseResource")
        return response, []
    frames = [frame for frame in post("/responses", body).split("\n\n") if "data: {" in frame]
    events = [json.loads(frame.split("data: ", 1)[1]) for frame in frames]
    response = check_events(events)
    check(response, "ResponseResource")
    return response, events


def user(content):
    return {"type": "message", "role": "user", "content": content}


def types_of(response):
    return [item["type"] for item in response["output"]]


def demand(response, status, item):
    if response["status"] != status or item not in types_of(response):
        raise Problem(f"the response is {response['status']} with {types_of(response)}")


TOOL = {
    "type": "function",
    "name": "get_weather",
    "description": "The weather of a city",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9h"
    "AAAAAElFTkSuQmCC"
)
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
FORMAT = {"format": {"type": "json_schema", "name": "place", "schema": SCHEMA, "strict": True}}
CALL = {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": '{"city": "Rome"}'}
RESULT = {"type": "function_call_output", "call_id": "call_1", "output": "sunny"}
QUESTION = [user("What is the weather in Rome?")]

HTTP_CASES = {
    "text": ({"input": [user("Say hello.")]}, "message"),
    "text as a string": ({"input": "Say hello."}, "message"),
    "a system message": ({"input": [{**user("Be brief."), "role": "system"}, user("Hello.")]}, "message"),
    "a developer message": ({"input": [{**user("Be brief."), "role": "developer"}, user("Hi.")]}, "message"),
    "instructions": ({"instructions": "Be brief.", "input": "Hello.", "metadata": {"a": "b"}}, "message"),
    "a history": (
        {"input": [user("I am Ada."), {**user("Hello, Ada."), "role": "assistant"}, user("Who am I?")]},
        "message",
    ),
    "a picture": (
        {
            "input": [
                user(
                    [
                        {"type": "input_text", "text": "What is this?"},
                        {"type": "input_image", "image_url": PIXEL},
                    ]
                )
            ]
        },
        "message",
    ),
    "a call": ({"input": QUESTION, "tools": [TOOL]}, "function_call"),
    "a demanded call": ({"input": QUESTION, "tools": [TOOL], "tool_choice": "required"}, "function_call"),
    "the result of a call": ({"input": [*QUESTION, CALL, RESULT], "tools": [TOOL]}, "message"),
    "structured output": ({"input": "Where?", "text": FORMAT}, "message"),
}


def run_http(fields, item):
    demand(respond(fields)[0], "completed", item)
    response, events = respond({**fields, "stream": True})
    demand(response, "completed", item)
    types = {event["type"] for event in events}
    wanted = {
        "message": {"response.output_text.delta", "response.output_text.done", "response.content_part.done"},
        "function_call": {"response.function_call_arguments.delta", "response.function_call_arguments.done"},
    }[item]
    missing = {"response.created", "response.output_item.added", "response.output_item.done", *wanted} - types
    if missing:
        raise Problem(f"the stream lacks {sorted(missing)}")


def run_continuation():
    first, _ = respond({"input": "I am Ada."})
    for stream in ({}, {"stream": True}):
        second, _ = respond({"input": "Who am I?", "previous_response_id": first["id"], **stream})
        if second["previous_response_id"] != first["id"]:
            raise Problem("the response does not name the one before it")


def run_compaction():
    compacted = json.loads(post("/responses/compact", {"model": MODEL, "input": [user("I am Ada.")]}))
    check(compacted, "CompactResource")
    respond({"input": [*compacted["output"], user("Who am I?")]})


def open_socket():
    address = f"{URL.replace('http', 'ws', 1)}/v1/responses"
    return connect(address, additional_headers={"authorization": f"Bearer {KEY}"}, max_size=None)


def take_turn(socket, fields):
    socket.send(json.dumps({"type": "response.create", "model": MODEL, **fields}))
    events = []
    while not events or events[-1]["type"] not in ("response.completed", "response.incomplete", "error"):
        events.append(json.loads(socket.recv(timeout=TIMEOUT_SECONDS)))
    return events


def run_socket(fields, item):
    with open_socket() as socket:
        response = check_events(take_turn(socket, fields))
        check(response, "ResponseResource")
        demand(response, "completed", item)
        again = check_events(take_turn(socket, {"input": "Go on.", "previous_response_id": response["id"]}))
        demand(again, "completed", "message")


def run_socket_error():
    with open_socket() as socket:
        check(take_turn(socket, {"input": "Hello.", "previous_response_id": "resp_unknown"})[-1], "WebSocketErrorEvent")
        demand(check_events(take_turn(socket, {"input": "Hello."})), "completed", "message")


CASES = {
    **{name: lambda case=case: run_http(*case) for name, case in HTTP_CASES.items()},
    "a continuation": run_continuation,
    "a compaction": run_compaction,
    "turns of a socket": lambda: run_socket({"input": [user("Say hello.")]}, "message"),
    "turns of a socket that is not stored": lambda: run_socket({"input": "Hello.", "store": False}, "message"),
    "an error on a socket": run_socket_error,
}


def main():
    failed = 0
    for name, run in CASES.items():
        try:
            run()
        except Exception as error:
            failed += 1
            print(f"  {name}: {error}")
    print(f"  {len(CASES) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
