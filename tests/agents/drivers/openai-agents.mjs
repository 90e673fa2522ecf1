// An agent with the OpenAI Agents SDK, which takes URL and key from OPENAI_BASE_URL and OPENAI_API_KEY.
import { exec } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { image, load, main, prompt, settings, toolsOf } from './session.mjs'

const {
  Agent,
  applyDiff,
  applyPatchTool,
  MemorySession,
  OpenAIResponsesCompactionSession,
  run,
  shellTool,
  tool,
  webSearchTool,
} = load('@openai/agents')

const TURNS_MAX = 30

const respondToPart = async text =>
  (await run(agent, text, { session: new MemorySession(), maxTurns: TURNS_MAX })).finalOutput

const tools = Object.entries(toolsOf(respondToPart)).map(([name, { description, inputSchema, execute }]) =>
  tool({ name, description, parameters: inputSchema, execute }),
)

/** The tools that OpenAI's models know by their types, and that this program executes. */
const shell = shellTool({
  shell: {
    run: async ({ commands }) => ({ output: await Promise.all(commands.map(runCommand)) }),
  },
})
const runCommand = command =>
  new Promise(resolve =>
    exec(command, (error, stdout, stderr) =>
      resolve({ stdout, stderr, outcome: { type: 'exit', exitCode: error?.code ?? 0 } }),
    ),
  )
const patch = applyPatchTool({
  editor: {
    createFile: async ({ path, diff }) => writeFileSync(path, applyDiff('', diff, 'create')),
    updateFile: async ({ path, diff }) => writeFileSync(path, applyDiff(readFileSync(path, 'utf8'), diff)),
    deleteFile: async ({ path }) => rmSync(path),
  },
})

const agent = new Agent({
  name: 'Engineer',
  model: settings.model,
  instructions: 'You change files and run commands.',
  tools: [...tools, shell, patch, webSearchTool()],
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
