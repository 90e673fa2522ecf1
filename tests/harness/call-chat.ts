const REQUEST_ID = 'x-oneapi-request-id'

interface ChatCall {
  /** Of the gateway, without a trailing slash. */
  readonly url: string
  /** Without the prefix `sk-`. */
  readonly key: string
  /** Sent as JSON; a text is sent as it is. */
  readonly body: unknown
  readonly signal?: AbortSignal
}

/** What came back, read to its end. */
export interface ChatResult {
  readonly status: number
  readonly requestId: string
  readonly text: string
}

/** One chat completion as a program without an SDK asks for it. */
export async function callChat(call: ChatCall): Promise<ChatResult> {
  const response = await openChat(call)
  return { status: response.status, requestId: requestIdOf(response), text: await response.text() }
}

/** The same, with the answer's body left to be read. */
export function openChat({ url, key, body, signal }: ChatCall): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  })
}

export const requestIdOf = (response: Response): string => response.headers.get(REQUEST_ID) ?? ''

/** Whether a streamed answer came to its proper end. */
export const isCompleteStream = ({ status, text }: ChatResult): boolean =>
  status === 200 && text.endsWith('data: [DONE]\n\n')

/** The error of an answer in OpenAI's shape. Throws when the answer is no such error. */
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
