import { expect, test } from 'bun:test'
import { Status } from '#contract/status.ts'
import { authorizeAddress } from './oauth.ts'

/** A status with only the fields that the URLs need. */
const statusWith = (known: Partial<Status>): Status => ({ ...BLANK, ...known })
const BLANK = Object.fromEntries(Object.keys(Status.shape).map(name => [name, ''])) as unknown as Status

test('requests the email scope from GitHub and passes the state', () => {
  const address = new URL(authorizeAddress('github', 's&1', statusWith({ github_client_id: 'id' })))
  expect(address.origin + address.pathname).toBe('https://github.com/login/oauth/authorize')
  expect(Object.fromEntries(address.searchParams)).toEqual({
    client_id: 'id',
    state: 's&1',
    scope: 'user:email',
  })
})

test('passes a redirect URI to LINUX DO once the server address is set', () => {
  const status = statusWith({ linuxdo_client_id: 'id' })
  expect(authorizeAddress('linuxdo', 's', status)).not.toContain('redirect_uri')
  const address = new URL(
    authorizeAddress('linuxdo', 's', { ...status, server_address: 'https://a.example' }),
  )
  expect(address.searchParams.get('redirect_uri')).toBe('https://a.example/oauth/linuxdo')
  expect(address.searchParams.get('response_type')).toBe('code')
})
