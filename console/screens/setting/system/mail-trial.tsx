import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { sendTestMail } from '#contract/accounts/verification.ts'
import { call, plainErrorText } from '../../../app/api/call.ts'
import { selfQuery } from '../../../app/session/self.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { useText } from '../../../ui/text/text.ts'
import { TextInput } from '../../../ui/forms/text-inputs.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { useOptionForm } from '../options/option-form.ts'
import { systemText } from './text.ts'

/** Sends a mail with the settings that are stored, and says what the mail server answered. */
export function MailTrial() {
  const t = useText(systemText)
  const { data: self } = useQuery(selfQuery)
  const isEdited = useOptionForm().edits.some(({ key }) => key.startsWith('SMTP'))
  const [typed, setTyped] = useState<string>()
  const email = typed ?? self?.email ?? ''
  const trial = useMutation({
    meta: { isQuiet: true },
    mutationFn: () => call(sendTestMail, { body: { email } }),
    onSuccess: () => toast('success', t('mailSent', { email })),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!trial.isPending) trial.mutate()
  }
  return (
    <form
      noValidate
      onSubmit={submit}
      className="grid gap-2 border-t border-line pt-4 sm:grid-cols-2 sm:gap-x-6"
    >
      <Field
        label={t('mailTo')}
        help={t(isEdited ? 'mailAfterSaving' : 'mailHelp')}
        error={trial.error && !isEdited ? plainErrorText(trial.error) : undefined}
      >
        {control => (
          <div className="flex gap-2">
            <TextInput
              {...control}
              type="email"
              autoComplete="off"
              value={email}
              onChange={event => setTyped(event.target.value)}
            />
            <Button type="submit" disabled={isEdited} isBusy={trial.isPending}>
              {t('sendMail')}
            </Button>
          </div>
        )}
      </Field>
    </form>
  )
}
