import { expect, test } from 'bun:test'
import { parseNotificationValues, toNotificationSetting } from './notification-form.tsx'

test('defaults to email at the default threshold', () => {
  for (const setting of ['', '{}', '{"notify_type":"pigeon"}', 'broken'])
    expect(parseNotificationValues(setting)).toEqual({
      notifyType: 'email',
      quotaWarningThreshold: '500000',
      notificationLanguage: '',
      notificationEmail: '',
      webhookUrl: '',
      webhookSecret: '',
    })
})

test('fills the form with the stored setting, but never with the secret', () => {
  const setting =
    '{"notify_type":"webhook","quota_warning_threshold":100000,"webhook_url":"https://w.example"}'
  expect(parseNotificationValues(setting)).toMatchObject({
    notifyType: 'webhook',
    quotaWarningThreshold: '100000',
    webhookUrl: 'https://w.example',
    webhookSecret: '',
  })
})

test('sends only the fields of the chosen channel', () => {
  const values = {
    notifyType: 'email',
    quotaWarningThreshold: '7',
    notificationLanguage: 'en',
    notificationEmail: ' a@b.example ',
    webhookUrl: 'https://w',
    webhookSecret: 's',
  } as const
  expect(toNotificationSetting(values)).toEqual({
    notify_type: 'email',
    quota_warning_threshold: 7,
    notification_language: 'en',
    notification_email: 'a@b.example',
  })
  expect(toNotificationSetting({ ...values, notifyType: 'webhook' })).toEqual({
    notify_type: 'webhook',
    quota_warning_threshold: 7,
    notification_language: 'en',
    webhook_url: 'https://w',
    webhook_secret: 's',
  })
})
