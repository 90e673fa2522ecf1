import type { TokenLogprob } from './contract/chat.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from './json.ts'

/** The `logprobs` of a choice of chat. Undefined where it has none. Source: platform.openai.com/docs/api-reference/chat/object */
export function readLogprobs(json: unknown): readonly TokenLogprob[] | undefined {
  const tokens = asArray(asObject(json).content).filter(isObject)
  if (tokens.length === 0) return undefined
  return tokens.map(token => ({
    ...readToken(token),
    top_logprobs: asArray(token.top_logprobs).map(top => readToken(asObject(top))),
  }))
}

function readToken({ token, logprob, bytes }: JsonObject) {
  const text = asString(token) ?? ''
  return {
    token: text,
    logprob: Number(logprob ?? 0),
    bytes: Array.isArray(bytes) ? bytes.map(Number) : null,
  }
}

/** The `logprobsResult` of a candidate, which tells no bytes. Source: ai.google.dev/api/generate-content#logprobsresult */
export function readGeminiLogprobs(json: unknown): readonly TokenLogprob[] | undefined {
  const { chosenCandidates, topCandidates } = asObject(json)
  const chosen = asArray(chosenCandidates).map(asObject)
  if (chosen.length === 0) return undefined
  const tops = asArray(topCandidates).map(top => asArray(asObject(top).candidates).map(asObject))
  return chosen.map((token, index) => ({
    ...readGeminiToken(token),
    top_logprobs: (tops[index] ?? []).map(readGeminiToken),
  }))
}

function readGeminiToken({ token, logProbability }: JsonObject) {
  const text = asString(token) ?? ''
  return { token: text, logprob: Number(logProbability ?? 0), bytes: [...Buffer.from(text)] }
}
