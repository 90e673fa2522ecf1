import { type FormEvent, useState } from 'react'
import { NotificationSetting } from '#contract/accounts/account.ts'
import type { User } from '#contract/accounts/users.ts'
import { plainErrorText } from '../../../app/api/call.ts'
import { issueText } from '../../../app/forms/record-form.ts'
import { useMoney } from '../../../app/money/money.tsx'
import { MoneyInput } from '../../../app/money/money-input.tsx'
import { Button } from '../../../ui/buttons/button.tsx'
import { Banner } from '../../../ui/feedback/banner.tsx'
import { Field, PasswordInput, TextInput } from '../../../ui/forms/field.tsx'
import { Presets } from '../../../ui/forms/number-inputs.tsx'
import { SegmentedChoice } from '../../../ui/forms/select.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useText } from '../../../ui/text/text.ts'
import { type NotificationValues, noticeSettingOf, notificationValues } from './notification-schema.ts'
import { useSelfWrites } from './queries.ts'
import { personalText } from './text.ts'

const THRESHOLDS = [100_000, 500_000, 1_000_000, 5_000_000] as const

const SAMPLE = `{
  "type": "quota_exceed",
  "title": "…",
  "content": "…",
  "values": ["…"],
  "timestamp": 1739950503
}`

type Problems = Partial<Record<'threshold' | 'email' | 'url', string>>
const FIELD_OF: Readonly<Record<string, keyof Problems>> = {
  quota_warning_threshold: 'threshold',
  notification_email: 'email',
  webhook_url: 'url',
}

function problemsOf(values: NotificationValues): Problems {
  const { error } = NotificationSetting.safeParse(noticeSettingOf(values))
  const problems: Problems = {}
  for (const issue of error?.issues ?? []) {
    const field = FIELD_OF[String(issue.path[0])]
    if (field) problems[field] ??= issueText(issue)
  }
  return problems
}

/** How the owner is told that the balance runs low. A test goes the way that is stored: what was typed is stored first. */
export function NotificationForm({ self }: { readonly self: User }) {
  const t = useText(personalText)
  const { money } = useMoney()
  const { notify, tryNotice } = useSelfWrites()
  const [values, setValues] = useState(() => notificationValues(self.setting))
  const [problems, setProblems] = useState<Problems>({})
  const [refusal, setRefusal] = useState<string>()
  const change = (part: Partial<NotificationValues>) => setValues({ ...values, ...part })
  const save = async (): Promise<boolean> => {
    const found = problemsOf(values)
    setProblems(found)
    setRefusal(undefined)
    if (Object.keys(found).length > 0) return false
    try {
      await notify.mutateAsync(noticeSettingOf(values))
      change({ secret: '' })
      return true
    } catch (error) {
      setRefusal(`${t('notifyFailed')} · ${plainErrorText(error)}`)
      return false
    }
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await save()) toast('success', t('notifySaved'))
  }
  const saveAndTry = async () => {
    if (!(await save())) return
    try {
      await tryNotice.mutateAsync()
      toast('success', t('notifyTried'))
    } catch (error) {
      setRefusal(`${t('tryFailed')} · ${plainErrorText(error)}`)
    }
  }
  return (
    <form noValidate className="grid max-w-140 gap-5" onSubmit={event => void submit(event)}>
      {refusal && (
        <Banner tone="danger" isAlert>
          {refusal}
        </Banner>
      )}
      <SegmentedChoice
        label={t('notifyType')}
        value={values.type}
        options={[
          { value: 'email', label: t('byEmail') },
          { value: 'webhook', label: t('byWebhook') },
        ]}
        onChange={type => change({ type })}
      />
      <div className="grid gap-2">
        <Field
          label={t('threshold')}
          help={t('thresholdHelp')}
          error={problems.threshold && t('thresholdBad')}
        >
          {control => (
            <MoneyInput {...control} value={values.threshold} onChange={threshold => change({ threshold })} />
          )}
        </Field>
        <Presets
          label={t('thresholdPresets')}
          options={THRESHOLDS.map(value => ({ value, label: money(value) }))}
          onPick={threshold => change({ threshold: String(threshold) })}
        />
      </div>
      {values.type === 'email' ? (
        <Field label={t('notifyEmail')} help={t('notifyEmailHelp')} error={problems.email}>
          {control => (
            <TextInput
              {...control}
              type="email"
              placeholder={self.email}
              value={values.email}
              onChange={event => change({ email: event.target.value })}
            />
          )}
        </Field>
      ) : (
        <WebhookFields values={values} problem={problems.url} onChange={change} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" isBusy={notify.isPending && !tryNotice.isPending}>
          {t('saveNotify')}
        </Button>
        <Button look="ghost" isBusy={tryNotice.isPending} onClick={() => void saveAndTry()}>
          {t('tryNotify')}
        </Button>
      </div>
    </form>
  )
}

interface WebhookFieldsProps {
  readonly values: NotificationValues
  readonly problem: string | undefined
  readonly onChange: (part: Partial<NotificationValues>) => void
}

function WebhookFields({ values, problem, onChange }: WebhookFieldsProps) {
  const t = useText(personalText)
  return (
    <>
      <Field label={t('webhookUrl')} help={t('webhookHelp')} error={problem && t('webhookBad')}>
        {control => (
          <TextInput
            {...control}
            isMono
            inputMode="url"
            placeholder="https://"
            value={values.url}
            onChange={event => onChange({ url: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('webhookSecret')} help={t('webhookSecretHelp')}>
        {control => (
          <PasswordInput
            {...control}
            autoComplete="new-password"
            value={values.secret}
            onChange={event => onChange({ secret: event.target.value })}
          />
        )}
      </Field>
      <details className="rounded-card border border-line px-3 py-2 text-small">
        <summary className="cursor-pointer font-medium">{t('payload')}</summary>
        <pre className="mt-2 overflow-x-auto font-mono text-caption">{SAMPLE}</pre>
      </details>
    </>
  )
}
