import { FAULTS } from './faults.ts'

const PAGE_PATH = /^\/(?:lab\/?)?$/
const NAME_WIDTH = 18

export const isPagePath = (path: string): boolean => PAGE_PATH.test(path)

/** The lab's manual as plain text, served at its address. */
export function page(url: URL): Response {
  const address = url.origin + url.pathname.replace(/\/$/, '')
  return new Response(text(address), { headers: { 'content-type': 'text/plain; charset=utf-8' } })
}

const text = (address: string): string => `The fault lab
=============
An upstream for development and tests. It speaks the formats of OpenAI, Anthropic and Gemini, draws like the Midjourney proxies
and makes music like the Suno bridges. It needs no account, gives the same response every time, reports exact token counts, and
fails on request.

Add it as a channel
-------------------
  type        OpenAI, Anthropic Claude, Gemini, Midjourney Proxy or Suno
  base URL    ${address}
  key         any text, for example "lab"
  models      lab, or any real name such as gpt-4o-mini, claude-sonnet-4-5-20250929, gemini-2.5-flash,
              text-embedding-3-small. Names that start with "lab-" request faults, see below.

Try it
------
  curl ${address}/v1/chat/completions -H 'authorization: Bearer lab' -H 'content-type: application/json' \\
    -d '{"model":"lab-pace-40","stream":true,"messages":[{"role":"user","content":"hello"}]}'

Strictness
----------
  The lab refuses what the providers refuse, in their words: unknown fields, results without a call and calls without a result,
  a tool choice without its tool, thinking whose signature it did not issue, and encrypted reasoning, stored responses and
  items of another key. The fault "lenient" turns this off, for providers that are compatible but less strict.

Token counts
------------
  prompt      1 token, plus 1 for each 4 characters of text (rounded up), plus 85 for each image or file
  response    1 token for each streamed piece; a tool call has at most 3 pieces
  limits      max_tokens truncates the response, with "length" as finish reason

Request faults
--------------
A SCENARIO is NAME or NAME-FIGURE; "+" joins several, for example pace-20+tokens-50+stall-10. Put it into
  the model name            lab-SCENARIO
  the base URL              ${address}/fault/SCENARIO        to make one channel fail
  the key                   lab-SCENARIO                     to make one key fail
  the header                x-lab: SCENARIO
  the last message          [lab: SCENARIO]
  a namespace               use ${address}/lane/NAME as base URL, and at any time
                            PUT ${address}/control/lanes/NAME with the scenario as body; an empty body ends all faults

Faults
------
${faultLines()}

Playbooks
-------
  A playbook decides what the model of an agent says and which of its tools it calls, turn by turn.
  PUT ${address}/control/playbooks/NAME with
    {"turns":[{"text":"I write it.","calls":[{"tool":"write","arguments":{"path":"a.txt"}}]},{"text":"Done."}]}
  A conversation follows the playbook that the user's last marker [playbook:NAME] names, and goes on when the calls of a turn have
  results. "faults" in a turn is a scenario for it. Requests without the tools, such as those for a title, get the last turn.

Counters
--------
  GET ${address}/control                requests, in flight, finished, aborted by the client, dropped, bytes; also per namespace
  GET ${address}/control/lanes/NAME     the same for one namespace, and its last request
  DELETE ${address}/control             resets the counters and deletes all namespaces and playbooks

All faults work both here and in a running gateway. For a refused connection use a port on which nothing listens;
for a failed TLS handshake use this address with https.
`

function faultLines(): string {
  const lines = Object.entries(FAULTS).map(([name, fault]) => {
    const figure = fault.figure ? ` (${fault.figure.means}, ${fault.figure.usual} by default)` : ''
    return `  ${name.padEnd(NAME_WIDTH)}${fault.says}${figure}`
  })
  return lines.join('\n')
}

const IMAGE_PATH = /\/pictures\/[^/]+\.png$/
/** A single grey pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

export const isImagePath = (path: string): boolean => IMAGE_PATH.test(path)

/** The image of every drawing task. */
export const labImage = (): Response => new Response(PNG, { headers: { 'content-type': 'image/png' } })
