import { GatewayError } from '../../core/errors.ts'
import { bearerHeaders } from '../contract/operation-adapter.ts'
import type { ListVoices, Voice } from '../contract/provider.ts'
import { asObject, asString, isObject } from '../json.ts'
import { openaiUrl } from './request.ts'

/** For providers whose voices are only documented. */
export const documentedVoices =
  (find: (model: string) => readonly Voice[]): ListVoices =>
  ({ model }) =>
    Promise.resolve(find(model))

/** Voices whose ids are their names. */
export const toVoices = (ids: readonly string[]): readonly Voice[] => ids.map(id => ({ id, name: id }))

const OPENAI_VOICES = ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer']
const LATER_OPENAI_VOICES = ['ballad', 'cedar', 'marin', 'verse']

/** Source: platform.openai.com/docs/guides/text-to-speech#voice-options */
export function openaiVoices(model: string): readonly Voice[] {
  if (model.startsWith('tts-1')) return toVoices(OPENAI_VOICES)
  return /^gpt-.*tts/.test(model) ? toVoices([...OPENAI_VOICES, ...LATER_OPENAI_VOICES]) : []
}

const OPENAI_URL = 'https://api.openai.com'
const NO_SUCH_PATH: ReadonlySet<number> = new Set([404, 405, 501])

/**
 * Requests the list that OpenAI-compatible speech servers have. OpenAI's own API has none: its voices are documented,
 * and a server without a list is expected to have the same.
 */
export const openaiCompatibleVoices: ListVoices = async ({ channel, model }, io) => {
  if (channel.baseUrl === OPENAI_URL) return openaiVoices(model)
  const url = `${openaiUrl(channel.baseUrl, '/v1/audio/voices')}?model=${encodeURIComponent(model)}`
  const { status, json } = await io.send({ method: 'GET', url, headers: bearerHeaders({ channel }) })
  // Some resellers respond to unknown paths with a page.
  if (NO_SUCH_PATH.has(status) || (status === 200 && json === undefined)) return openaiVoices(model)
  const voices = Array.isArray(json) ? json : (asObject(json).voices ?? asObject(json).data)
  if (status !== 200 || !Array.isArray(voices)) throw voicesFailed(status)
  return voices.flatMap(readVoice)
}

/** Servers differ: a voice is a name, or an object with an id. */
function readVoice(json: unknown): readonly Voice[] {
  if (!isObject(json)) return typeof json === 'string' ? toVoices([json]) : []
  const id = asString(json.id) ?? asString(json.voice_id) ?? asString(json.name)
  return id === undefined ? [] : [{ id, name: asString(json.name) ?? id }]
}

export const voicesFailed = (status: number): GatewayError =>
  new GatewayError('upstream_failed', {
    zh: `音色接口返回状态码 ${status}，需要 200 和音色列表`,
    en: `the endpoint for voices returned status ${status}, needed 200 and a list of voices`,
  })
