import { expect, test } from 'bun:test'
import { checkSignInSite } from './authenticate.ts'

const signIn = (headers: Record<string, string>) => () =>
  checkSignInSite(new Request('http://gateway.test/api/user/login', { headers }))

test.each([
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'http://gateway.test', host: 'gateway.test' },
  { origin: 'https://evil.example', host: 'gateway.test' },
  { origin: 'http://gateway.test:81', host: 'gateway.test' },
  { origin: 'http://gateway.test.evil.example', host: 'gateway.test' },
  { origin: 'null', host: 'gateway.test' },
  { origin: 'not an origin', host: 'gateway.test' },
])('refuses a sign-in that another site sends: %j', headers => {
  expect(signIn(headers)).toThrow('another website sent this sign-in')
})

test.each([
  {},
  { 'sec-fetch-site': 'same-origin', origin: 'https://behind.proxy.test', host: 'gateway.test' },
  { 'sec-fetch-site': 'none' },
  { origin: 'http://gateway.test:3000', host: 'gateway.test:3000' },
  { origin: 'https://public.test', host: 'gateway.test', 'x-forwarded-host': 'PUBLIC.test' },
])('lets a sign-in of the own site pass, and of programs: %j', headers => {
  expect(signIn(headers)).not.toThrow()
})
