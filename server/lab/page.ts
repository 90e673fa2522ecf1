import { FAULTS } from './faults.ts'

const PAGE_PATH = /^\/(?:lab\/?)?$/
const NAME_WIDTH = 18

export const isPagePath = (path: string): boolean => PAGE_PATH.test(path)

/** How to use the lab, as plain text. */
export function page(url: URL): Response {
  const address = url.origin + url.pathname.replace(/\/$/, '')
  return new Response(text(address), { headers: { 'content-type': 'text/plain; charset=utf-8' } })
}

const text = (address: string): string => `The fault lab
=============
An upstream for trying and testing: it speaks the formats of OpenAI, Anthropic and Gemini, draws as the Midjourney
proxies do, makes music as the Suno bridges do, needs no account,
gives the same answer every time, counts honestly, and fails when it is asked to.

As a first channel
------------------
  type        OpenAI, Anthropic Claude, Gemini, Midjourney Proxy or Suno
  base URL    ${address}
  key         anything, for example "lab"
  models      lab, or any real name such as gpt-4o-mini, claude-sonnet-4-5-20250929, gemini-2.5-flash,
              text-embedding-3-small. Names that start with "lab-" ask for faults, see below.

Try it
------
  curl ${address}/v1/chat/completions -H 'authorization: Bearer lab' -H 'content-type: application/json' \\
    -d '{"model":"lab-pace-40","stream":true,"messages":[{"role":"user","content":"hello"}]}'

What it counts
--------------
  prompt      1 token, and 1 for every 4 letters of text begun, and 85 for a picture or file
  answer      1 token for every piece that is streamed; a tool call is 3 pieces at most
  limits      max_tokens cuts the answer and ends it with "length"

Asking for faults
-----------------
A script is NAME or NAME-FIGURE, several joined by "+", for example pace-20+tokens-50+stall-10. It stands
  in the model's name       lab-SCRIPT
  in the base URL           ${address}/fault/SCRIPT          so that one channel fails
  in the key                lab-SCRIPT                       so that one key fails
  in the header             x-lab: SCRIPT
  in the last message       [lab: SCRIPT]
  on a lane                 ${address}/lane/NAME as base URL; then, at any time,
                            PUT ${address}/control/lanes/NAME with the script as body, empty to heal

Faults
------
${faultLines()}

Counters
--------
  GET ${address}/control                requests, in flight, finished, aborted by the client, dropped, bytes; per lane too
  GET ${address}/control/lanes/NAME     the same of one lane, and the last request that it saw
  DELETE ${address}/control             back to zero, lanes forgotten

All faults work here and on a running gateway alike. A refused connection is any port on which nothing listens;
a failed TLS handshake is this address with https.
`

function faultLines(): string {
  const lines = Object.entries(FAULTS).map(([name, fault]) => {
    const figure = fault.figure ? ` (${fault.figure.means}, usually ${fault.figure.usual})` : ''
    return `  ${name.padEnd(NAME_WIDTH)}${fault.says}${figure}`
  })
  return lines.join('\n')
}

const IMAGE_PATH = /\/pictures\/[^/]+\.png$/
/** One grey point. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

export const isImagePath = (path: string): boolean => IMAGE_PATH.test(path)

/** What every drawing of the lab looks like. */
export const labImage = (): Response => new Response(PNG, { headers: { 'content-type': 'image/png' } })
