import { afterEach, beforeEach, expect, test } from 'bun:test'
import { putOptions } from '#contract/options/options.ts'
import { sameInBoth } from '#server/core/language.ts'
import { PROVIDER_ENDPOINTS } from '#server/http-client/provider-request.ts'
import { type LocalMailServer, MAIL_ACCOUNT, openLocalMailServer } from '#server/testing/local-mail-server.ts'

import { testChannelsByPost } from '../contract/channel-checks.ts'
import { createChannels } from '../contract/channel-endpoints.ts'
import { type ChannelsTestApp, openChannelsApp } from './testing.ts'

let post: LocalMailServer
let app: ChannelsTestApp
beforeEach(async () => {
  post = await openLocalMailServer()
  app = await openChannelsApp({
    parts: { providerEndpoints: { ...PROVIDER_ENDPOINTS, mailCertificateAuthority: post.authority } },
  })
  await app.db.updateTable('users').set({ email: 'root@example.org' }).where('id', '=', app.root.id).execute()
  const body = Object.entries({
    SMTPServer: 'localhost',
    SMTPPort: String(post.port),
    SMTPAccount: MAIL_ACCOUNT.user,
    SMTPToken: MAIL_ACCOUNT.password,
    AutomaticDisableChannelEnabled: 'true',
    AutomaticEnableChannelEnabled: 'true',
  }).map(([key, value]) => ({ key, value }))
  await app.root.call(putOptions, { body })
})
afterEach(async () => {
  await app.close()
  await post.close()
})

test('emails the super administrator which channels a test run disabled and enabled', async () => {
  const draft = { type: 1, name: 'cheap', key: 'sk-1', models: 'gpt-4o', group: 'default' }
  await app.root.call(createChannels, { body: draft })
  app.relayTest.result = {
    ok: false,
    message: sameInBoth('invalid api key'),
    timeMs: 100,
    isKeyRevoked: true,
  }
  await app.root.call(testChannelsByPost)
  await post.next()
  expect(post.mails[0]).toMatchObject({ to: ['root@example.org'] })
  expect(post.mails[0]?.text).toContain('cheap (#1)')
  expect(post.mails[0]?.text).toContain('invalid api key')
  app.relayTest.result = { ok: true, message: sameInBoth(''), timeMs: 100 }
  await app.root.call(testChannelsByPost)
  await post.next()
  expect(post.mails[1]?.subject).toContain('was enabled')
})
