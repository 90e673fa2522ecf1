"""LangChain's standard tests of chat models, on the gateway."""

import os

from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests

SETTINGS = {
    "base_url": f"{os.environ['GATEWAY_URL']}/v1",
    "api_key": os.environ["GATEWAY_KEY"],
    "model": os.environ["MODEL"],
}


class TestChatCompletions(ChatModelIntegrationTests):
    """LangChain's client of OpenAI's chat completions."""

    use_responses_api = False

    @property
    def chat_model_class(self):
        return ChatOpenAI

    @property
    def chat_model_params(self):
        return {**SETTINGS, "use_responses_api": self.use_responses_api, "stream_usage": True}

    @property
    def model_override_value(self):
        return SETTINGS["model"]


class TestResponses(TestChatCompletions):
    """The same of the Responses API."""

    use_responses_api = True
