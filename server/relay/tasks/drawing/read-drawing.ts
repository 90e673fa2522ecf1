import type { JsonObject } from '../../../provider-kit/contract/chat.ts'
import { asString } from '../../../provider-kit/json.ts'
import type { AskedTask, ReadingSettings, TaskDraft, TaskOrigin } from '../platform.ts'
import { TaskRefusal } from '../task-refusal.ts'
import { actionOfButton } from './action-of-button.ts'

type Read = Pick<TaskDraft, 'action' | 'prompt' | 'origin'>
type Reader = (json: JsonObject, settings: ReadingSettings) => Read

const MODE_FLAGS = /\s*--(fast|relax|turbo)\b/gi
/** `1751300000123456 U2`: the picture, and what becomes of it. */
const SIMPLE_CHANGE = /^(?<taskId>\S+)\s+((?<letter>[uv])[1-4]|(?<reroll>r))$/i
const KNOWN_CHANGES: readonly string[] = ['UPSCALE', 'VARIATION', 'REROLL']

const fresh = (action: string, prompt = ''): Read => ({ action, prompt, origin: undefined })
const followUp = (action: string, origin: TaskOrigin): Read => ({ action, prompt: '', origin })
const origin = (json: JsonObject, mustBeFinished = true): TaskOrigin => ({
  taskId: needed(json.taskId, 'task_id_is_required'),
  mustBeFinished,
})

/** What each address means, and what it needs. */
const READERS: Readonly<Record<string, Reader>> = {
  imagine: json => fresh('IMAGINE', needed(json.prompt, 'prompt_is_required')),
  shorten: json => fresh('SHORTEN', needed(json.prompt, 'prompt_is_required')),
  describe: json => fresh('DESCRIBE', asString(json.link) ?? ''),
  blend: () => fresh('BLEND'),
  'upload-discord-images': () => fresh('UPLOAD'),
  swap: readSwap,
  modal: json => ({ ...followUp('MODAL', origin(json, false)), prompt: asString(json.prompt) ?? '' }),
  change: readChange,
  'simple-change': readSimpleChange,
  action: (json, { isPriced }) => {
    const customId = needed(json.customId, 'custom_id_is_required')
    return followUp(actionOfButton(customId, isPriced), origin(json))
  },
}

export const DRAWING_KINDS: readonly string[] = Object.keys(READERS)

/** Throws TaskRefusal for what cannot be understood. */
export function readDrawing({ kind, json }: AskedTask, settings: ReadingSettings): TaskDraft {
  const read = READERS[kind]
  if (!read) throw new TaskRefusal('unknown_relay_action', kind)
  const sent = outgoing(json, settings)
  const draft = read(sent, settings)
  return { ...draft, model: modelOf(draft.action), path: pathOf(kind), json: sent }
}

const pathOf = (kind: string): string => (kind === 'swap' ? '/mj/insight-face/swap' : `/mj/submit/${kind}`)

const modelOf = (action: string): string =>
  action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`

/** The client's body with what the options take out of it or put into it. */
function outgoing(
  { accountFilter, notifyHook, ...json }: JsonObject,
  { isAccountFilterPassedOn, isCallbackWanted, areModesCleared, noticeAddress }: ReadingSettings,
): JsonObject {
  const address = isCallbackWanted ? asString(notifyHook) || noticeAddress : ''
  const prompt = asString(json.prompt)
  return {
    ...json,
    ...(isAccountFilterPassedOn && accountFilter !== undefined && { accountFilter }),
    ...(address !== '' && { notifyHook: address }),
    ...(areModesCleared && prompt !== undefined && { prompt: prompt.replace(MODE_FLAGS, '').trim() }),
  }
}

function readSwap(json: JsonObject): Read {
  if (!asString(json.sourceBase64) || !asString(json.targetBase64))
    throw new TaskRefusal('sour_base64_and_target_base64_is_required')
  return fresh('SWAP_FACE', 'InsightFace')
}

function readChange(json: JsonObject): Read {
  const from = origin(json)
  const action = needed(json.action, 'action_is_required').toUpperCase()
  if (!KNOWN_CHANGES.includes(action)) throw new TaskRefusal(`unknown_action:${action}`)
  if (action !== 'REROLL' && !Number.isInteger(json.index)) throw new TaskRefusal('index_is_required')
  return followUp(action, from)
}

function readSimpleChange(json: JsonObject): Read {
  const content = needed(json.content, 'content_is_required')
  const { taskId, letter, reroll } = SIMPLE_CHANGE.exec(content.trim())?.groups ?? {}
  if (!taskId) throw new TaskRefusal('content_parse_failed', content)
  const action = reroll ? 'REROLL' : letter?.toLowerCase() === 'u' ? 'UPSCALE' : 'VARIATION'
  return followUp(action, { taskId, mustBeFinished: true })
}

function needed(value: unknown, word: string): string {
  const text = typeof value === 'number' ? String(value) : asString(value)?.trim()
  if (!text) throw new TaskRefusal(word)
  return text
}
