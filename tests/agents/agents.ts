import type { Agent } from './agent.ts'
import { claudeCode } from './clients/claude-code.ts'
import { codex } from './clients/codex.ts'
import { geminiCli } from './clients/gemini-cli.ts'
import { opencode } from './clients/opencode.ts'

/** In the order of the document. */
export const AGENTS: readonly Agent[] = [claudeCode, codex, geminiCli, opencode]
