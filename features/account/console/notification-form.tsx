import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { plainErrorText } from '#console/app/api/call.ts'
import { useMoney } from '#console/app/format/format.tsx'
import { issueText } from '#console/app/forms/issue-text.ts'
import { MoneyInput } from '#console/app/forms/money-input.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Field, SegmentedChoice } from '#console/ui/forms/fields.tsx'
import { InputField, PasswordField } from '#console/ui/forms/labelled-inputs.tsx'
import { Presets } from '#console/ui/forms/number-inputs.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import type { User } from '#contract/entities/user.ts'
import { NotificationSetting } from '../contract.ts'
import { useSelfMutations } from './queries.ts'
import { usePersonalText } from './text.ts'

const THRESHOLDS = [100_000, 500_000, 1_000_000, 5_000_000] as const

const PAYLOAD_EXAMPLE = `{
  "type": "quota_exceed",
  "title": "…",
  "content": "…",
  "values": ["…"],
  "timestamp": 1739950503
}`

type FieldErrors = Partial<Record<'quotaWarningThreshold' | 'notificationEmail' | 'webhookUrl', string>>
const FIELD_OF: Readonly<Record<string, keyof FieldErrors>> = {
  quota_warning_threshold: 'quotaWarningThreshold',
  notification_email: 'notificationEmail',
  webhook_url: 'webhookUrl',
}

function validate(values: NotificationValues): FieldErrors {
  const { error } = NotificationSetting.safeParse(toNotificationSetting(values))
  const errors: FieldErrors = {}
  for (const issue of error?.issues ?? []) {
    const field = FIELD_OF[String(issue.path[0])]
    if (field) errors[field] ??= issueText(issue)
  }
  return errors
}

/** Low-balance notifications by email or webhook. Tests use the stored setting, so the form is saved first. */
export function NotificationForm({ self }: { readonly self: User }) {
  const t = usePersonalText()
  const { money } = useMoney()
  const { updateNotifications, sendTestNotification } = useSelfMutations()
  const [values, setValues] = useState(() => parseNotificationValues(self.setting))
  const [errors, setErrors] = useState<FieldErrors>({})
  const [formError, setFormError] = useState<string>()
  const change = (part: Partial<NotificationValues>) => setValues({ ...values, ...part })
  const save = async (): Promise<boolean> => {
    const found = validate(values)
    setErrors(found)
    setFormError(undefined)
    if (Object.keys(found).length > 0) return false
    try {
      await updateNotifications.mutateAsync(toNotificationSetting(values))
      change({ webhookSecret: '' })
      return true
    } catch (error) {
      setFormError(`${t('notifyFailed')} · ${plainErrorText(error)}`)
      return false
    }
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await save()) toast('success', t('notifySaved'))
  }
  const saveAndTest = async () => {
    if (!(await save())) return
    try {
      await sendTestNotification.mutateAsync()
      toast('success', t('notifyTried'))
    } catch (error) {
      setFormError(`${t('tryFailed')} · ${plainErrorText(error)}`)
    }
  }
  return (
    <form noValidate className="grid max-w-140 gap-5" onSubmit={event => void submit(event)}>
      {formError && (
        <Banner tone="danger" isAlert>
          {formError}
        </Banner>
      )}
      <SegmentedChoice
        label={t('notifyType')}
        value={values.notifyType}
        options={[
          { value: 'email', label: t('byEmail') },
          { value: 'webhook', label: t('byWebhook') },
        ]}
        onChange={notifyType => change({ notifyType })}
      />
      <SegmentedChoice
        label={t('notifyLanguage')}
        value={values.notificationLanguage}
        options={[
          { value: '', label: t('notifyBoth') },
          { value: 'zh', label: t('notifyChinese') },
          { value: 'en', label: t('notifyEnglish') },
        ]}
        onChange={notificationLanguage => change({ notificationLanguage })}
      />
      <div className="grid gap-2">
        <Field
          label={t('threshold')}
          help={t('thresholdHelp')}
          error={errors.quotaWarningThreshold && t('thresholdBad')}
        >
          {control => (
            <MoneyInput
              {...control}
              value={values.quotaWarningThreshold}
              onChange={quotaWarningThreshold => change({ quotaWarningThreshold })}
            />
          )}
        </Field>
        <Presets
          label={t('thresholdPresets')}
          options={THRESHOLDS.map(value => ({ value, label: money(value) }))}
          onPick={threshold => change({ quotaWarningThreshold: String(threshold) })}
        />
      </div>
      {values.notifyType === 'email' ? (
        <InputField
          label={t('notifyEmail')}
          help={t('notifyEmailHelp')}
          error={errors.notificationEmail}
          type="email"
          placeholder={self.email}
          value={values.notificationEmail}
          onChange={event => change({ notificationEmail: event.target.value })}
        />
      ) : (
        <WebhookFields values={values} error={errors.webhookUrl} onChange={change} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" isBusy={updateNotifications.isPending && !sendTestNotification.isPending}>
          {t('saveNotify')}
        </Button>
        <Button variant="ghost" isBusy={sendTestNotification.isPending} onClick={() => void saveAndTest()}>
          {t('tryNotify')}
        </Button>
      </div>
    </form>
  )
}

interface WebhookFieldsProps {
  readonly values: NotificationValues
  readonly error: string | undefined
  readonly onChange: (part: Partial<NotificationValues>) => void
}

function WebhookFields({ values, error, onChange }: WebhookFieldsProps) {
  const t = usePersonalText()
  return (
    <>
      <InputField
        label={t('webhookUrl')}
        help={t('webhookHelp')}
        error={error && t('webhookBad')}
        isMono
        inputMode="url"
        placeholder="https://"
        value={values.webhookUrl}
        onChange={event => onChange({ webhookUrl: event.target.value })}
      />
      <PasswordField
        label={t('webhookSecret')}
        help={t('webhookSecretHelp')}
        autoComplete="new-password"
        value={values.webhookSecret}
        onChange={event => onChange({ webhookSecret: event.target.value })}
      />
      <details className="rounded-card border border-line px-3 py-2 text-small">
        <summary className="cursor-pointer font-medium">{t('payload')}</summary>
        <pre className="mt-2 overflow-x-auto font-mono text-caption">{PAYLOAD_EXAMPLE}</pre>
      </details>
    </>
  )
}

/** The server's default threshold. */
const THRESHOLD_FALLBACK = 500_000

const StoredSetting = z.object({
  notify_type: z.enum(['email', 'webhook']).catch('email'),
  quota_warning_threshold: z.number().positive().catch(THRESHOLD_FALLBACK),
  notification_language: z.enum(['', 'zh', 'en']).catch(''),
  notification_email: z.string().catch(''),
  webhook_url: z.string().catch(''),
})

/** Form values as typed. */
interface NotificationValues {
  readonly notifyType: 'email' | 'webhook'
  readonly quotaWarningThreshold: string
  /** Empty: both. */
  readonly notificationLanguage: '' | 'zh' | 'en'
  readonly notificationEmail: string
  readonly webhookUrl: string
  /** The server never sends the stored secret. */
  readonly webhookSecret: string
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Parses the `setting` of a user. Invalid JSON gives the defaults. */
export function parseNotificationValues(setting: string): NotificationValues {
  const found = StoredSetting.safeParse(parseJson(setting === '' ? '{}' : setting))
  const stored = found.success ? found.data : StoredSetting.parse({})
  return {
    notifyType: stored.notify_type,
    quotaWarningThreshold: String(stored.quota_warning_threshold),
    notificationLanguage: stored.notification_language,
    notificationEmail: stored.notification_email,
    webhookUrl: stored.webhook_url,
    webhookSecret: '',
  }
}

/** Converts the values to the request, with only the fields of the chosen channel. */
export const toNotificationSetting = (values: NotificationValues): NotificationSetting =>
  values.notifyType === 'email'
    ? {
        notify_type: 'email',
        quota_warning_threshold: Number(values.quotaWarningThreshold),
        notification_language: values.notificationLanguage,
        notification_email: values.notificationEmail.trim(),
      }
    : {
        notify_type: 'webhook',
        quota_warning_threshold: Number(values.quotaWarningThreshold),
        notification_language: values.notificationLanguage,
        webhook_url: values.webhookUrl.trim(),
        webhook_secret: values.webhookSecret,
      }
