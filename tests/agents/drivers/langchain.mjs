// An agent with LangChain, on chat completions. It searches the web with the Responses API.
import { image, load, main, prompt, settings, toolsOf } from './session.mjs'

const { createAgent, summarizationMiddleware, tool } = load('langchain')
const { ChatOpenAI, tools: hosted } = load('@langchain/openai')
const { mapChatMessagesToStoredMessages, mapStoredMessagesToChatMessages } = load('@langchain/core/messages')
const { z } = load('zod')

const KEPT_MESSAGES = 2

const model = new ChatOpenAI({
  model: settings.model,
  apiKey: settings.key,
  configuration: { baseURL: `${settings.gateway}/v1` },
  ...(settings.attempts && { maxRetries: settings.attempts - 1 }),
})

async function search({ query }) {
  const found = await model.bindTools([hosted.webSearch()]).invoke(query)
  return found.text
}

const searchWeb = tool(search, {
  name: 'search_web',
  description: 'Searches the web.',
  schema: z.object({ query: z.string() }),
})

async function respondToPart(text) {
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: text }] })
  return messages.at(-1).text
}

const tools = Object.entries(toolsOf(respondToPart)).map(([name, { description, inputSchema, execute }]) =>
  tool(execute, { name, description, schema: inputSchema }),
)

const agent = createAgent({
  model,
  tools: [...tools, searchWeb],
  // Not in the first start, which would lose its task.
  middleware:
    settings.compactAtTokens && settings.isResumed
      ? [
          summarizationMiddleware({
            model,
            trigger: { tokens: settings.compactAtTokens },
            keep: { messages: KEPT_MESSAGES },
          }),
        ]
      : [],
})

const content = image
  ? [
      { type: 'text', text: prompt },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
    ]
  : prompt

await main(async history => {
  const before = mapStoredMessagesToChatMessages(history)
  const { messages } = await agent.invoke({ messages: [...before, { role: 'user', content }] })
  return { text: messages.at(-1).text, messages: mapChatMessagesToStoredMessages(messages) }
})
