import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createToken } from '#contract/entities/token.ts'
import { addLabChannel } from '../harness/lab-channel.ts'
import { type LocalIssuer, openLocalIssuer } from '../harness/local-issuer.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const AUDIENCE = 'tollgate'
const MODEL = 'gpt-4o-mini'

let site: Site
let issuer: LocalIssuer
let identity: string
let tokenId: number

beforeAll(async () => {
  site = await startSite()
  issuer = await openLocalIssuer()
  identity = await issuer.sign({ sub: 'job:deploy', aud: AUDIENCE })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [MODEL] })
  const created = await site.root.call(createToken, { body: { name: 'workload', unlimited_quota: true } })
  tokenId = created.id
})
afterAll(async () => {
  await site?.stop()
  await issuer?.close()
})

async function statusOfCall(): Promise<number> {
  const response = await fetch(`${site.gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${identity}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] }),
  })
  await response.text()
  return response.status
}

const setRules = (rules: readonly object[]) =>
  setOptions(site.root, { WorkloadIdentityRules: JSON.stringify(rules) })

test('an identity token is a key as long as a rule of the settings admits it', async () => {
  const rule = { issuer: issuer.url, audience: AUDIENCE, claims: { sub: 'job:*' }, token: tokenId }
  expect(await statusOfCall()).toBe(401)
  await setRules([rule])
  expect(await statusOfCall()).toBe(200)
  expect(await statusOfCall()).toBe(200)
  await setRules([{ ...rule, claims: { sub: 'cron:*' } }])
  expect(await statusOfCall()).toBe(401)
  await setRules([rule])
  expect(await statusOfCall()).toBe(200)
  await setRules([])
  expect(await statusOfCall()).toBe(401)
})
