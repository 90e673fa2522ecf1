import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { listChannels, listEnabledModels } from '#contract/channels/channel-endpoints.ts'
import { listOptions } from '#contract/options/options.ts'
import { listTokens } from '#contract/tokens.ts'
import { buttonClasses } from '../../ui/class-names.ts'
import { call } from '../api/call.ts'
import { selfQuery } from '../session/self.ts'
import { servedModelsQuery } from '../snippets/example-model.ts'
import { Step, StepsPanel } from './steps-panel.tsx'
import { useOnboardingText } from './text.ts'

const CHANNELS_CHECKED = 100
const MODELS_NAMED = 3

const setupQuery = queryOptions({
  queryKey: ['operator-checklist'],
  queryFn: async ({ signal }) => {
    const [channels, models, tokens, options] = await Promise.all([
      call(listChannels, { query: { p: 0, page_size: CHANNELS_CHECKED }, signal }),
      call(listEnabledModels, { signal }),
      call(listTokens, { query: { p: 0, size: 1 }, signal }),
      call(listOptions, { signal }),
    ])
    const isSet = (key: string) => options.some(option => option.key === key && option.value !== '')
    return {
      hasChannel: channels.length > 0,
      hasTested: channels.some(({ test_time: testedAt }) => testedAt > 0),
      models,
      hasToken: tokens.length > 0,
      hasAddress: isSet('ServerAddress'),
      hasEmail: isSet('SMTPServer'),
    }
  },
})

interface SetupStep {
  readonly title: string
  readonly text: string
  readonly isDone: boolean
  readonly link: ReactNode
}

/** The steps of a new installation, each done when the installation says so. Empty when all are done. */
export function OperatorChecklist({ onDismiss }: { readonly onDismiss: () => void }) {
  const t = useOnboardingText()
  const steps = useSetupSteps()
  const done = steps.filter(({ isDone }) => isDone).length
  if (steps.length === 0 || done === steps.length) return null
  return (
    <StepsPanel
      title={t('operatorTitle', { done, count: steps.length })}
      onDismiss={onDismiss}
      columns="four"
    >
      {steps.map(({ title, text, isDone, link }, index) => (
        <Step key={title} number={index + 1} title={title} text={text} isDone={isDone}>
          {link}
        </Step>
      ))}
    </StepsPanel>
  )
}

const SMALL = buttonClasses('default', 'small')

/** Empty until everything is known. */
function useSetupSteps(): readonly SetupStep[] {
  const t = useOnboardingText()
  const { data: setup } = useQuery(setupQuery)
  const { data: priced } = useQuery(servedModelsQuery)
  const { data: self } = useQuery(selfQuery)
  if (!(setup && priced && self)) return []
  const names = new Set(priced.map(row => row.model_name))
  const unpriced = setup.models.filter(model => !names.has(model))
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
      isDone: setup.hasChannel,
      link: to('/channel/add', t('channel')),
    },
    { title: t('test'), text: t('testText'), isDone: setup.hasTested, link: to('/channel', t('test')) },
    {
      title: t('price'),
      text: priceText(t, setup.models, unpriced),
      isDone: setup.models.length > 0 && unpriced.length === 0,
      link: settings('operation', 'models', t('price')),
    },
    {
      title: t('token'),
      text: t('tokenText'),
      isDone: setup.hasToken,
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
      isDone: setup.hasAddress,
      link: settings('system', 'server', t('address')),
    },
    {
      title: t('email'),
      text: t('emailText'),
      isDone: setup.hasEmail,
      link: settings('system', 'smtp', t('email')),
    },
  ]
}

function priceText(
  t: ReturnType<typeof useOnboardingText>,
  models: readonly string[],
  unpriced: readonly string[],
): string {
  if (models.length === 0) return t('priceUnknown')
  if (unpriced.length === 0) return t('priceOk')
  const named = unpriced.slice(0, MODELS_NAMED).join(', ')
  return t('priceText', { models: unpriced.length > MODELS_NAMED ? `${named}…` : named })
}
