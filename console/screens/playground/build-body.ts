import type { Settings } from './settings.ts'
import type { Turn } from './turn.ts'

export interface ChatBody {
  readonly model: string
  readonly group?: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly stream: true
  readonly temperature?: number
  readonly max_tokens?: number
  readonly tools?: unknown
}

/** What is sent: the system's words, then every turn that says something. */
export function buildBody(settings: Settings, turns: readonly Turn[]): ChatBody {
  const { model, group, system, temperature, maxTokens } = settings
  const tools = parseTools(settings.tools)
  const said = turns.filter(({ content }) => content !== '').map(({ role, content }) => ({ role, content }))
  return {
    model,
    ...(group !== '' && { group }),
    messages: system.trim() === '' ? said : [{ role: 'system', content: system }, ...said],
    stream: true,
    ...(temperature > 0 && { temperature }),
    ...(maxTokens > 0 && { max_tokens: maxTokens }),
    ...(tools !== undefined && { tools }),
  }
}

/** The list of tools; undefined when there is none or the text is no list. */
export function parseTools(text: string): readonly unknown[] | undefined {
  try {
    const tools: unknown = JSON.parse(text)
    return Array.isArray(tools) && tools.length > 0 ? tools : undefined
  } catch {
    return undefined
  }
}
