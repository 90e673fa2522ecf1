// An agent with the AI SDK 5 or 6, on the package of the provider.
import { image, load, main, prompt, settings, toolsOf } from './session.mjs'

const { stepCountIs, streamText, tool } = load('ai')
const { z } = load('zod')

const STEPS_MAX = 30
const SEARCHES_MAX = 5

const { gateway, key: apiKey } = settings

/** The model and, where the package has one, the provider's search: hosted beside functions, or in a request of its own. */
const PROVIDERS = {
  openai() {
    const openai = load('@ai-sdk/openai').createOpenAI({ baseURL: `${gateway}/v1`, apiKey })
    return { model: openai(settings.model), hosted: { web_search: openai.tools.webSearch({}) } }
  },
  anthropic() {
    const anthropic = load('@ai-sdk/anthropic').createAnthropic({ baseURL: `${gateway}/v1`, apiKey })
    const search = anthropic.tools.webSearch_20250305({ maxUses: SEARCHES_MAX })
    return { model: anthropic(settings.model), hosted: { web_search: search } }
  },
  gemini() {
    const google = load('@ai-sdk/google').createGoogleGenerativeAI({ baseURL: `${gateway}/v1beta`, apiKey })
    return { model: google(settings.model), alone: { google_search: google.tools.googleSearch({}) } }
  },
  custom() {
    const { createOpenAICompatible } = load('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({
      name: 'tollgate',
      baseURL: `${gateway}/v1`,
      apiKey,
      includeUsage: true,
    })
    return { model: provider(settings.model) }
  },
}

const { model, hosted, alone } = PROVIDERS[settings.provider]()

/** Lets the model answer, with as many steps of tools as it needs. */
async function respond(messages, tools) {
  const result = streamText({
    model,
    messages,
    tools,
    stopWhen: stepCountIs(STEPS_MAX),
    onError: () => undefined,
  })
  for await (const part of result.fullStream) if (part.type === 'error') throw part.error
  return { text: await result.text, messages: [...messages, ...(await result.response).messages] }
}

const ask = text => ({ role: 'user', content: text })

/** Gemini's search goes with no other tool in this SDK. */
const searchAlone = {
  description: 'Searches the web.',
  inputSchema: z.object({ query: z.string() }),
  execute: async ({ query }) => (await respond([ask(query)], alone)).text,
}

const respondToPart = async text => (await respond([ask(text)], tools)).text

const tools = {
  ...Object.fromEntries(Object.entries(toolsOf(respondToPart)).map(([name, made]) => [name, tool(made)])),
  ...hosted,
  ...(alone && { search_web: tool(searchAlone) }),
}

const content = image
  ? [
      { type: 'text', text: prompt },
      { type: 'image', image, mediaType: 'image/png' },
    ]
  : prompt

await main(history => respond([...history, ask(content)], tools))
