const REQUEST_ID = 'x-oneapi-request-id'

interface ChatCall {
  /** URL of the gateway, without a trailing slash. */
  readonly url: string
  /** Token key without the prefix `sk-`. */
  readonly key: string
  /** Sent as JSON. A string is sent unchanged. */
  readonly body: unknown
  readonly signal?: AbortSignal
}

/** A response with its complete body. */
export interface ChatResult {
  readonly status: number
  readonly requestId: string
  readonly text: string
}

/** Sends a chat completion without an SDK and reads the whole response. */
export async function callChat(call: ChatCall): Promise<ChatResult> {
  const response = await openChat(call)
  return { status: response.status, requestId: requestIdOf(response), text: await response.text() }
}

/** Sends a chat completion and leaves the body unread. */
export function openChat({ url, key, body, signal }: ChatCall): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  })
}

export const requestIdOf = (response: Response): string => response.headers.get(REQUEST_ID) ?? ''

/** Whether a stream ended with `[DONE]`. */
export const isCompleteStream = ({ status, text }: ChatResult): boolean =>
  status === 200 && text.endsWith('data: [DONE]\n\n')

/** The error of a response in OpenAI's format. Throws when the response is no such error. */
export function errorOf({ text }: Pick<ChatResult, 'text'>): {
  readonly code: string
  readonly message: string
  readonly type: string
} {
  const { error } = JSON.parse(text)
  if (typeof error?.message !== 'string' || typeof error.type !== 'string')
    throw new Error(`expected an error in OpenAI's shape, found: ${text}`)
  return error
}
