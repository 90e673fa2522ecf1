import { expect, test } from 'bun:test'
import { noticeSettingOf, notificationValues } from './notification-schema.ts'

test('who has chosen nothing is told by mail, at the default threshold', () => {
  for (const setting of ['', '{}', '{"notify_type":"pigeon"}', 'broken'])
    expect(notificationValues(setting)).toEqual({
      type: 'email',
      threshold: '500000',
      email: '',
      url: '',
      secret: '',
    })
})

test('what was stored stands in the form, but never the secret', () => {
  const setting =
    '{"notify_type":"webhook","quota_warning_threshold":100000,"webhook_url":"https://w.example"}'
  expect(notificationValues(setting)).toMatchObject({
    type: 'webhook',
    threshold: '100000',
    url: 'https://w.example',
    secret: '',
  })
})

test('only what belongs to the chosen way is sent', () => {
  const values = {
    type: 'email',
    threshold: '7',
    email: ' a@b.example ',
    url: 'https://w',
    secret: 's',
  } as const
  expect(noticeSettingOf(values)).toEqual({
    notify_type: 'email',
    quota_warning_threshold: 7,
    notification_email: 'a@b.example',
  })
  expect(noticeSettingOf({ ...values, type: 'webhook' })).toEqual({
    notify_type: 'webhook',
    quota_warning_threshold: 7,
    webhook_url: 'https://w',
    webhook_secret: 's',
  })
})
