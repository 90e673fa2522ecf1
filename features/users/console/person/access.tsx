import { useQuery } from '@tanstack/react-query'
import { TimeText } from '#console/app/format/format.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge, Tag } from '#console/ui/data/badges.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { User } from '#contract/entities/user.ts'
import {
  accessTokensQuery,
  factorsQuery,
  identitiesQuery,
  sessionsQuery,
  usePersonChanges,
} from './queries.ts'
import { Loaded, Rows } from './section.tsx'
import { usePersonText } from './text.ts'

interface PersonProps {
  readonly user: User
}

/** Where the user is signed in. */
export function SessionsOf({ user: { id } }: PersonProps) {
  const t = usePersonText()
  const query = useQuery(sessionsQuery(id))
  const { end } = usePersonChanges(id)
  const endThese = (session: string | undefined) =>
    end.mutate(session, { onSuccess: () => toast('success', t('ended')) })
  return (
    <Loaded query={query}>
      {sessions => (
        <>
          <Rows rows={sessions} empty={t('noSessions')} idOf={session => session.id}>
            {session => {
              const name = session.device || t('unknownDevice')
              return (
                <>
                  <div className="grid min-w-0 flex-1 gap-0.5">
                    <span className="truncate" title={name}>
                      {name}
                    </span>
                    <span className="text-small text-muted">
                      <TimeText unixSeconds={session.used_time} />{' '}
                      {session.address !== '' && t('from', { address: session.address })}
                    </span>
                  </div>
                  {session.is_current ? (
                    <StatusBadge tone="success">{t('current')}</StatusBadge>
                  ) : (
                    <Button
                      size="small"
                      variant="danger-text"
                      aria-label={t('endNamed', { name })}
                      isBusy={end.isPending}
                      onClick={() => endThese(session.id)}
                    >
                      {t('end')}
                    </Button>
                  )}
                </>
              )
            }}
          </Rows>
          {sessions.length > 1 && (
            <Button size="small" className="justify-self-start" onClick={() => endThese(undefined)}>
              {t('endAll')}
            </Button>
          )}
        </>
      )}
    </Loaded>
  )
}

/** Access tokens of the management API. */
export function AccessTokensOf({ user: { id } }: PersonProps) {
  const t = usePersonText()
  const query = useQuery(accessTokensQuery(id))
  const { removeToken } = usePersonChanges(id)
  return (
    <Loaded query={query}>
      {tokens => (
        <Rows rows={tokens} empty={t('noAccessTokens')} idOf={token => token.id}>
          {token => {
            const name = token.name || t('systemToken')
            return (
              <>
                <div className="grid min-w-0 flex-1 gap-1">
                  <span className="truncate font-medium">{name}</span>
                  <span className="flex flex-wrap gap-1">
                    {token.scopes.map(scope => (
                      <Tag key={scope} isMono>
                        {scope}
                      </Tag>
                    ))}
                  </span>
                </div>
                <Button
                  size="small"
                  variant="danger-text"
                  aria-label={t('removeNamed', { name })}
                  isBusy={removeToken.isPending}
                  onClick={() =>
                    removeToken.mutate(token.id, { onSuccess: () => toast('success', t('removed')) })
                  }
                >
                  {t('remove')}
                </Button>
              </>
            )
          }}
        </Rows>
      )}
    </Loaded>
  )
}

/** Second factors. All are removed at once, for somebody who has lost them. */
export function FactorsOf({ user: { id, username: name } }: PersonProps) {
  const t = usePersonText()
  const query = useQuery(factorsQuery(id))
  const { removeAllFactors } = usePersonChanges(id)
  const ask = async () => {
    const question = { title: t('removeFactorsTitle', { name }), text: t('removeFactorsText') }
    if (await confirm({ ...question, action: t('removeFactors'), isDanger: true }))
      removeAllFactors.mutate(undefined, { onSuccess: () => toast('success', t('factorsRemoved')) })
  }
  return (
    <Loaded query={query}>
      {factors => (
        <>
          <Rows rows={factors} empty={t('noFactors')} idOf={factor => factor.id}>
            {factor => (
              <>
                <span className="min-w-0 flex-1 truncate">{factor.name}</span>
                <Tag>{t(factor.kind)}</Tag>
                <span className="text-small text-muted">
                  {factor.used_time > 0 ? <TimeText unixSeconds={factor.used_time} /> : t('neverUsed')}
                </span>
              </>
            )}
          </Rows>
          {factors.length > 0 && (
            <>
              <p className="text-small text-muted">{t('factorsHelp')}</p>
              <Button
                variant="danger-text"
                className="-ml-3.5 justify-self-start"
                isBusy={removeAllFactors.isPending}
                onClick={() => void ask()}
              >
                {t('removeFactors')}
              </Button>
            </>
          )}
        </>
      )}
    </Loaded>
  )
}

/** Accounts at OpenID providers. */
export function IdentitiesOf({ user: { id, username } }: PersonProps) {
  const t = usePersonText()
  const query = useQuery(identitiesQuery(id))
  const { removeIdentity } = usePersonChanges(id)
  const ask = async (slug: string, provider: string) => {
    const title = t('unlinkTitle', { name: username, provider })
    if (await confirm({ title, text: t('unlinkText'), action: t('unlink'), isDanger: true }))
      removeIdentity.mutate(slug, { onSuccess: () => toast('success', t('unlinked', { provider })) })
  }
  return (
    <Loaded query={query}>
      {identities =>
        identities.length > 0 && (
          <Rows rows={identities} empty="" idOf={identity => identity.slug}>
            {({ slug, name, created_time }) => (
              <>
                <span className="min-w-0 flex-1 truncate">{name}</span>
                <span className="text-small text-muted">
                  <TimeText unixSeconds={created_time} />
                </span>
                <Button
                  size="small"
                  variant="danger-text"
                  aria-label={t('unlinkNamed', { provider: name })}
                  isBusy={removeIdentity.isPending}
                  onClick={() => void ask(slug, name)}
                >
                  {t('unlink')}
                </Button>
              </>
            )}
          </Rows>
        )
      }
    </Loaded>
  )
}
