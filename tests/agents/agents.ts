import type { Agent } from './agent.ts'
import { aiSdk5, aiSdk6 } from './clients/ai-sdk.ts'
import { aider } from './clients/aider.ts'
import { claudeCode } from './clients/claude-code.ts'
import { codex } from './clients/codex.ts'
import { continueCli } from './clients/continue.ts'
import { copilot } from './clients/copilot.ts'
import { geminiCli } from './clients/gemini-cli.ts'
import { kimiCode } from './clients/kimi-code.ts'
import { langchain } from './clients/langchain.ts'
import { openaiAgents } from './clients/openai-agents.ts'
import { opencode } from './clients/opencode.ts'
import { pi } from './clients/pi.ts'
import { pydanticAi } from './clients/pydantic-ai.ts'
import { qwenCode } from './clients/qwen-code.ts'

/** The agents whose cells are counted, in the order of the document. */
export const MAIN_AGENTS: readonly Agent[] = [claudeCode, codex, geminiCli, opencode]

/** More agents, and SDKs with which agents are made. */
export const FURTHER_AGENTS: readonly Agent[] = [
  copilot,
  kimiCode,
  pi,
  qwenCode,
  continueCli,
  aider,
  aiSdk6,
  aiSdk5,
  openaiAgents,
  langchain,
  pydanticAi,
]

export const AGENTS: readonly Agent[] = [...MAIN_AGENTS, ...FURTHER_AGENTS]
