import { useText } from '../../../ui/text/text.ts'
import { OptionFields } from '../options/option-fields.tsx'
import { sectionText } from '../options/section-text.ts'
import { type OptionSection, type OptionSectionId, SYSTEM_SECTIONS } from '../options/sections.ts'
import { SettingPage } from '../setting-page.tsx'
import { SettingSection } from '../setting-section.tsx'
import { CallbackAddresses } from './callback-addresses.tsx'
import { MailTrial } from './mail-trial.tsx'
import { SignInFlags } from './sign-in-flags.tsx'
import { systemText } from './text.ts'

const HELP = {
  payment: 'paymentHelp',
  signIn: 'signInHelp',
  emailRules: 'emailRulesHelp',
  smtp: 'smtpHelp',
  github: 'githubHelp',
  linuxdo: 'linuxdoHelp',
  wechat: 'wechatHelp',
  telegram: 'telegramHelp',
  turnstile: 'turnstileHelp',
  worker: 'workerHelp',
} as const

const isHelped = (id: OptionSectionId): id is keyof typeof HELP => Object.hasOwn(HELP, id)

export function SystemTab() {
  const s = useText(sectionText)
  return (
    <SettingPage sections={SYSTEM_SECTIONS.map(({ id }) => ({ id, title: s(id) }))}>
      {SYSTEM_SECTIONS.map(section => (
        <SystemSection key={section.id} section={section} />
      ))}
    </SettingPage>
  )
}

function SystemSection({ section: { id, keys } }: { readonly section: OptionSection }) {
  const s = useText(sectionText)
  const t = useText(systemText)
  const party = id === 'github' || id === 'linuxdo' ? id : undefined
  return (
    <SettingSection id={id} title={s(id)} help={isHelped(id) ? t(HELP[id]) : undefined}>
      {party && <CallbackAddresses party={party} />}
      {id === 'signIn' ? <SignInFlags keys={keys} /> : <OptionFields keys={keys} />}
      {id === 'smtp' && <MailTrial />}
    </SettingSection>
  )
}
