import { expect, test } from 'bun:test'
import { Status } from '#contract/status.ts'
import { authorizeAddress } from './oauth.ts'

/** Only what the addresses need. */
const statusWith = (known: Partial<Status>): Status => ({ ...BLANK, ...known })
const BLANK = Object.fromEntries(Object.keys(Status.shape).map(name => [name, ''])) as unknown as Status

test('GitHub is asked for the address of the mail, and told which sign-in this is', () => {
  const address = new URL(authorizeAddress('github', 's&1', statusWith({ github_client_id: 'id' })))
  expect(address.origin + address.pathname).toBe('https://github.com/login/oauth/authorize')
  expect(Object.fromEntries(address.searchParams)).toEqual({
    client_id: 'id',
    state: 's&1',
    scope: 'user:email',
  })
})

test('the forum is told where to come back to as soon as the server knows its own address', () => {
  const status = statusWith({ linuxdo_client_id: 'id' })
  expect(authorizeAddress('linuxdo', 's', status)).not.toContain('redirect_uri')
  const address = new URL(
    authorizeAddress('linuxdo', 's', { ...status, server_address: 'https://a.example' }),
  )
  expect(address.searchParams.get('redirect_uri')).toBe('https://a.example/oauth/linuxdo')
  expect(address.searchParams.get('response_type')).toBe('code')
})
