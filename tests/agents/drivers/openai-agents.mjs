// An agent with the OpenAI Agents SDK, which takes URL and key from OPENAI_BASE_URL and OPENAI_API_KEY.
import { image, load, main, prompt, settings, toolsOf } from './session.mjs'

const { Agent, MemorySession, OpenAIResponsesCompactionSession, run, tool, webSearchTool } =
  load('@openai/agents')

const TURNS_MAX = 30

const respondToPart = async text =>
  (await run(agent, text, { session: new MemorySession(), maxTurns: TURNS_MAX })).finalOutput

const tools = Object.entries(toolsOf(respondToPart)).map(([name, { description, inputSchema, execute }]) =>
  tool({ name, description, parameters: inputSchema, execute }),
)

const agent = new Agent({
  name: 'Engineer',
  model: settings.model,
  instructions: 'You change files and run commands.',
  tools: [...tools, webSearchTool()],
})

/** Compacts with the provider where the conversation is to be short. */
function openSession(history) {
  const session = new MemorySession({ initialItems: history })
  if (!settings.compactAtTokens) return session
  return new OpenAIResponsesCompactionSession({
    underlyingSession: session,
    model: settings.model,
    shouldTriggerCompaction: ({ sessionItems }) =>
      JSON.stringify(sessionItems).length / CHARS_PER_TOKEN > settings.compactAtTokens,
  })
}
const CHARS_PER_TOKEN = 4

const input = image
  ? [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: prompt },
          { type: 'input_image', image: `data:image/png;base64,${image}` },
        ],
      },
    ]
  : prompt

await main(async history => {
  const session = openSession(history)
  const result = await run(agent, input, { session, maxTurns: TURNS_MAX, stream: true })
  await result.completed
  return { text: result.finalOutput, messages: await session.getItems() }
})
