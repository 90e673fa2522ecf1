import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, plainErrorText } from '#console/app/api/call.ts'
import { selfQuery } from '#console/app/session/self.ts'
import { OptionField, OptionFields } from '#console/app/settings/fields.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { type FilledSection, sectionsOf } from '#console/app/settings/options.ts'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Field, TextInput } from '#console/ui/forms/fields.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { sendTestMail } from '#features/sign-in/contract.ts'
import { SettingSection, TabLayout } from '../layout.tsx'
import { useScreenText } from '../text.ts'
import { hasOtherSignIn, missingSettings } from './sign-in-rules.ts'
import { useSystemText } from './text.ts'

const SECTIONS = sectionsOf('system')

export function SystemTab() {
  const language = useLanguage()
  return (
    <TabLayout sections={SECTIONS.map(({ id, title }) => ({ id, title: title[language] }))}>
      {SECTIONS.map(section => (
        <SystemSection key={section.id} section={section} />
      ))}
    </TabLayout>
  )
}

function SystemSection({ section: { id, title, help, keys } }: { readonly section: FilledSection }) {
  const language = useLanguage()
  const provider = id === 'github' || id === 'linuxdo' ? id : undefined
  return (
    <SettingSection id={id} title={title[language]} help={help?.[language]}>
      {provider && <CallbackUrls provider={provider} />}
      {id === 'signIn' ? <SignInFlags keys={keys} /> : <OptionFields keys={keys} />}
      {id === 'smtp' && <TestEmailForm />}
    </SettingSection>
  )
}

/** The URLs to register with the identity provider. */
export function CallbackUrls({ provider }: { readonly provider: 'github' | 'linuxdo' }) {
  const t = useSystemText()
  const address = useOptionForm().currentValue('ServerAddress').trim().replace(/\/+$/, '')
  if (address === '') return <p className="text-small text-warning">{t('needsServer')}</p>
  const addresses = [
    { name: t('homepage'), url: address },
    { name: t('callback'), url: `${address}/oauth/${provider}` },
  ]
  return (
    <div className="rounded-card bg-sunken px-3 py-2.5">
      <KeyValues
        items={addresses.map(({ name, url }) => ({
          label: name,
          value: (
            <span className="flex items-center gap-1">
              <code className="min-w-0 font-mono break-all">{url}</code>
              <CopyButton text={url} label={t('copyAddress', { name })} />
            </span>
          ),
        }))}
      />
    </div>
  )
}

/** Sends a test email with the stored settings and shows the error of the mail server. */
export function TestEmailForm() {
  const t = useSystemText()
  const { data: self } = useQuery(selfQuery)
  const isEdited = useOptionForm().edits.some(({ key }) => key.startsWith('SMTP'))
  const [typed, setTyped] = useState<string>()
  const email = typed ?? self?.email ?? ''
  const testEmail = useMutation({
    meta: { isQuiet: true },
    mutationFn: () => call(sendTestMail, { body: { email } }),
    onSuccess: () => toast('success', t('mailSent', { email })),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!testEmail.isPending) testEmail.mutate()
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
        error={testEmail.error && !isEdited ? plainErrorText(testEmail.error) : undefined}
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
            <Button type="submit" disabled={isEdited} isBusy={testEmail.isPending}>
              {t('sendMail')}
            </Button>
          </div>
        )}
      </Field>
    </form>
  )
}

/** Sign-in switches. A method can be turned on only when it is configured, and turning passwords off asks first. */
export function SignInFlags({ keys }: { readonly keys: readonly string[] }) {
  const t = useScreenText()
  const s = useSystemText()
  const form = useOptionForm()
  const isSure = () => {
    const question = { title: t('confirmOffTitle'), text: t('confirmOffText'), action: t('confirmOff') }
    return confirm({ ...question, isDanger: true })
  }
  const change = async (key: string, isOn: boolean) => {
    const need = isOn ? missingSettings(form, key) : undefined
    if (need) return toast('error', s(need))
    const turnsPasswordsOff = key === 'PasswordLoginEnabled' && !isOn
    if (turnsPasswordsOff && !hasOtherSignIn(form)) return toast('error', t('noOtherSignIn'))
    if (!turnsPasswordsOff || (await isSure())) form.set(key, String(isOn))
  }
  return (
    <div className="grid gap-4">
      {keys.map(key => (
        <OptionField key={key} optionKey={key} onFlag={isOn => void change(key, isOn)} />
      ))}
    </div>
  )
}
