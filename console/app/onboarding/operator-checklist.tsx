import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DataOf } from '#contract/endpoint.ts'
import { getSetup } from '#contract/options/options.ts'
import { buttonClasses } from '../../ui/class-names.ts'
import { call } from '../api/call.ts'
import { hasScreen } from '../router/screens.ts'
import { selfQuery } from '../session/self.ts'
import { Step, StepsPanel } from './steps-panel.tsx'
import { useOnboardingText } from './text.ts'

const MODELS_NAMED = 3

const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call(getSetup, { signal }),
})

/** The steps of a new installation, each done when the installation says so. Empty when all are done. */
export function OperatorChecklist({ onDismiss, isFolded }: { onDismiss: () => void; isFolded: boolean }) {
  const t = useOnboardingText()
  const steps = useSetupSteps()
  const done = steps.filter(({ isDone }) => isDone).length
  if (steps.length === 0 || done === steps.length) return null
  return (
    <StepsPanel
      title={t('operatorTitle', { done, count: steps.length })}
      onDismiss={onDismiss}
      columns="four"
      {...(isFolded && { next: steps.find(({ isDone }) => !isDone)?.link })}
    >
      {steps.map(({ title, text, isDone, link }, index) => (
        <Step key={title} number={index + 1} title={title} text={text} isDone={isDone}>
          {link}
        </Step>
      ))}
    </StepsPanel>
  )
}

interface SetupStep {
  readonly title: string
  readonly text: string
  readonly isDone: boolean
  readonly link: ReactNode
}

const SMALL = buttonClasses('default', 'small')

/** Empty until everything is known. */
function useSetupSteps(): readonly SetupStep[] {
  const t = useOnboardingText()
  const { data: setup } = useQuery(setupQuery)
  const { data: self } = useQuery(selfQuery)
  if (!(setup && self)) return []
  const settings = (tab: 'operation' | 'system', section: string, label: string) => (
    <Link to="/setting" search={{ tab, section }} className={SMALL}>
      {label}
    </Link>
  )
  const to = (path: string, label: string, search: Readonly<Record<string, string>> = {}) => (
    <Link to={path} search={search} className={SMALL}>
      {label}
    </Link>
  )
  return [
    {
      title: t('channel'),
      text: t('channelText'),
      isDone: setup.has_channel,
      link: to(hasScreen('/channel-keys') ? '/channel-keys' : '/channel/add', t('channel')),
    },
    {
      title: t('test'),
      text: t('testText'),
      isDone: setup.has_tested_channel,
      link: to('/channel', t('test')),
    },
    {
      title: t('price'),
      text: priceText(t, setup),
      isDone: setup.model_count > 0 && setup.unpriced_models.length === 0,
      link: settings('operation', 'models', t('price')),
    },
    {
      title: t('token'),
      text: t('tokenText'),
      isDone: setup.has_token,
      link: to('/token', t('token'), { edit: 'new' }),
    },
    {
      title: t('call'),
      text: t('callText'),
      isDone: self.request_count > 0,
      link: to('/connect', t('connect')),
    },
    {
      title: t('address'),
      text: t('addressText'),
      isDone: setup.has_server_address,
      link: settings('system', 'server', t('address')),
    },
    {
      title: t('retries'),
      text: t('retriesText'),
      isDone: setup.has_retries,
      link: settings('operation', 'general', t('retries')),
    },
    {
      title: t('email'),
      text: t('emailText'),
      isDone: setup.has_email,
      link: settings('system', 'smtp', t('email')),
    },
  ]
}

function priceText(
  t: ReturnType<typeof useOnboardingText>,
  { model_count, unpriced_models: unpriced }: DataOf<typeof getSetup>,
): string {
  if (model_count === 0) return t('priceUnknown')
  if (unpriced.length === 0) return t('priceOk')
  const named = unpriced.slice(0, MODELS_NAMED).join(', ')
  return t('priceText', { models: unpriced.length > MODELS_NAMED ? `${named}…` : named })
}
