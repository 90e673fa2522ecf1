import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Boxes, CircleCheck, KeyRound } from 'lucide-react'
import { Suspense } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { useUser } from '#console/app/session/session.ts'
import { chooseExampleModel, servedModelsQuery, usableModels } from '#console/app/snippets/example-model.ts'
import { MASKED_KEY } from '#console/app/snippets/first-call.ts'
import { kindFinder, type ModelKind } from '#console/app/snippets/model-kind.ts'
import { Spinner } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses, classes } from '#console/ui/class-names.ts'
import { Banner, EmptyState, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import type { Token } from '#contract/entities/token.ts'
import { type ConnectClient, type ConnectTarget, clientsOf } from './clients.ts'
import { ClientGuide, CodeGuide } from './guide.tsx'
import { requestArrivedQuery, usableTokensQuery } from './queries.ts'
import { ConnectSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

/** The searchable lists are big, so they come after the page. */
const targetChoice = lazyPart(async () => (await import('./target-choice.tsx')).TargetChoice)

/** Id of the choice that shows code in place of a client's configuration. */
const CODE = 'code'

export function ConnectPage() {
  const t = useScreenText()
  const tokens = useQuery(usableTokensQuery)
  const served = useQuery(servedModelsQuery)
  const error = tokens.error ?? served.error
  const retry = () => void Promise.all([tokens.refetch(), served.refetch()])
  return (
    <>
      <PageHeader title={t('title')} />
      <p className="-mt-2 mb-4 max-w-180 text-muted">{t('intro')}</p>
      {error && <LoadError error={error} isBusy={tokens.isFetching || served.isFetching} onRetry={retry} />}
      {!error && !(tokens.data && served.data) && <Skeleton className="h-64 w-full" />}
      {tokens.data && served.data && <Guide tokens={tokens.data} />}
    </>
  )
}

function Guide({ tokens }: { readonly tokens: readonly Token[] }) {
  const t = useScreenText()
  const search = useSearchParams(ConnectSearch)
  const token = tokens.find(({ id }) => String(id) === search.token) ?? tokens[0]
  const status = useStatus()
  const { device_sign_in: hasSignIn } = status
  const clients = clientsOf(status)
  const client =
    clients.find(({ id }) => id === search.client) ?? (search.client === CODE ? CODE : clients[0])
  const { models, kindOf } = useTokenModels(token)
  if (client !== CODE && client?.signsIn) return <SignInGuide client={client} />
  if (!token) {
    return (
      <div className="grid grid-cols-1 gap-5">
        {hasSignIn && <ClientChoice client={client} />}
        <EmptyState
          icon={KeyRound}
          title={t('noTokens')}
          text={t('noTokensText')}
          action={
            <Link to="/token" search={{ edit: 'new' }} className={buttonClasses('primary')}>
              {t('createToken')}
            </Link>
          }
        />
      </div>
    )
  }
  const preferred = client === CODE || !client ? undefined : client.preferred
  const model = models.includes(search.model) ? search.model : chooseExampleModel(models, preferred, kindOf)
  return (
    <div className="grid grid-cols-1 gap-5">
      <ClientChoice client={client} />
      <Suspense fallback={<Skeleton className="h-15 w-full" />}>
        <targetChoice.Part tokens={tokens} token={token} models={models} model={model} />
      </Suspense>
      {model === undefined ? (
        <EmptyState icon={Boxes} title={t('noModels')} text={t('noModelsText')} />
      ) : (
        <Steps client={client} token={token} model={model} models={models} kind={kindOf(model)} />
      )}
    </div>
  )
}

/** A client that signs in needs neither a token nor a model. */
function SignInGuide({ client }: { readonly client: ConnectClient }) {
  const address = serverAddress(useStatus())
  const target: ConnectTarget = { address, key: MASKED_KEY, model: '', smallModel: '' }
  return (
    <div className="grid grid-cols-1 gap-5">
      <ClientChoice client={client} />
      <ClientGuide client={client} target={target} token={undefined} />
    </div>
  )
}

interface TokenModels {
  readonly models: readonly string[]
  readonly kindOf: (model: string) => ModelKind
}

function useTokenModels(token: Token | undefined): TokenModels {
  const ownGroup = useUser()?.group ?? ''
  const { data: rows = [] } = useQuery(servedModelsQuery)
  return { models: usableModels(rows, ownGroup, token), kindOf: kindFinder(rows) }
}

type Choice = ConnectClient | typeof CODE | undefined

function ClientChoice({ client }: { readonly client: Choice }) {
  const t = useScreenText()
  const setSearch = useSetSearchParams(ConnectSearch)
  const chosen = client === CODE ? CODE : client?.id
  const choices = [
    ...clientsOf(useStatus()).map(({ id, name }) => ({ id, name })),
    { id: CODE, name: 'Python / Node / curl' },
  ]
  return (
    <fieldset>
      <legend className="mb-2 text-small font-medium">{t('client')}</legend>
      <div className="flex flex-wrap gap-2">
        {choices.map(({ id, name }) => (
          <label
            key={id}
            className={classes(
              'flex h-9 cursor-pointer items-center rounded-control border px-3 text-small coarse:h-11',
              'has-focus-visible:outline-2 has-focus-visible:outline-ring',
              id === chosen
                ? 'border-primary bg-selected font-medium text-fg'
                : 'border-line text-muted hover:text-fg',
            )}
          >
            <input
              type="radio"
              name="client"
              value={id}
              checked={id === chosen}
              onChange={() => setSearch({ client: id, model: undefined })}
              className="sr-only"
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface StepsProps {
  readonly client: Choice
  readonly token: Token
  readonly model: string
  readonly models: readonly string[]
  readonly kind: ModelKind
}

function Steps({ client, token, model, models, kind }: StepsProps) {
  const t = useScreenText()
  const address = serverAddress(useStatus())
  const target: ConnectTarget = {
    address,
    key: MASKED_KEY,
    model,
    kind,
    smallModel: models.find(name => /haiku/.test(name)) ?? model,
  }
  const isChat = kind === 'chat'
  return (
    <>
      {client !== CODE && !isChat && <Banner tone="warning">{t('kindHint')}</Banner>}
      {client === CODE || !client ? (
        <CodeGuide target={target} token={token} />
      ) : (
        <ClientGuide key={client.id} client={client} target={target} token={token} />
      )}
      <p className="text-small text-muted">{t('privacy')}</p>
      <Arrival token={token} />
    </>
  )
}

/** Tells that the client has reached the gateway. */
function Arrival({ token }: { readonly token: Token }) {
  const t = useScreenText()
  const { data: hasArrived = false } = useQuery(requestArrivedQuery(token))
  return (
    <p role="status" className="flex items-center gap-2 text-small text-muted">
      {hasArrived ? <CircleCheck size={16} aria-hidden className="text-success" /> : <Spinner />}
      {t(hasArrived ? 'received' : 'waiting')}
    </p>
  )
}
