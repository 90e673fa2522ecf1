import { useQuery } from '@tanstack/react-query'
import { formatNumber, MoneyText, nowSeconds, TimeText } from '#console/app/format/format.tsx'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { User } from '#contract/entities/user.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'
import type { AdministeredToken } from '#features/tokens/contract/all-tokens.ts'
import { statementQuery, tokensQuery, usageQuery, usePersonChanges } from './queries.ts'
import { Loaded, Rows } from './section.tsx'
import { usePersonText } from './text.ts'

const NEVER = -1

/** The tokens of a user, each of which can be disabled. */
export function TokensOf({ user: { id } }: { readonly user: User }) {
  const t = usePersonText()
  const query = useQuery(tokensQuery(id))
  const { switchToken } = usePersonChanges(id)
  return (
    <Loaded query={query}>
      {tokens => (
        <Rows rows={tokens} empty={t('noTokens')} idOf={token => token.id}>
          {token => (
            <TokenRow
              token={token}
              isBusy={switchToken.isPending}
              onSwitch={isOn => switchToken.mutate({ token: token.id, isOn })}
            />
          )}
        </Rows>
      )}
    </Loaded>
  )
}

interface TokenRowProps {
  readonly token: AdministeredToken
  readonly isBusy: boolean
  readonly onSwitch: (isOn: boolean) => void
}

function TokenRow({ token, isBusy, onSwitch }: TokenRowProps) {
  const t = usePersonText()
  const { name, status, expired_time: expiry, accessed_time: used } = token
  const isOff = status === TOKEN_STATUS.disabled
  const isUsable = status === TOKEN_STATUS.enabled && (expiry === NEVER || expiry > nowSeconds())
  return (
    <>
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="truncate font-medium">{name}</span>
        <span className="text-small text-muted">
          {t('remaining')} {token.unlimited_quota ? t('unlimited') : <MoneyText quota={token.remain_quota} />}{' '}
          · {used === 0 ? t('neverUsed') : t('used')} {used > 0 && <TimeText unixSeconds={used} />}
        </span>
      </div>
      <StatusBadge tone={isUsable ? 'success' : 'neutral'}>{t(isUsable ? 'isOn' : 'isOff')}</StatusBadge>
      <Button
        size="small"
        variant={isOff ? 'default' : 'danger-text'}
        aria-label={t(isOff ? 'onNamed' : 'offNamed', { name })}
        isBusy={isBusy}
        onClick={() => onSwitch(isOff)}
      >
        {t(isOff ? 'on' : 'off')}
      </Button>
    </>
  )
}

/** What the models of the last month cost, the most expensive first. */
export function UsageOf({ user }: { readonly user: User }) {
  const t = usePersonText()
  const language = useLanguage()
  const query = useQuery(usageQuery(user))
  return (
    <Loaded query={query}>
      {({ groups }) =>
        groups.length === 0 ? (
          <p className="text-muted">{t('noUsage')}</p>
        ) : (
          <table className="w-full text-small">
            <thead className="text-caption text-muted">
              <tr>
                <th scope="col" className="py-1 text-left font-normal">
                  {t('model')}
                </th>
                {(['requests', 'errors', 'charged'] as const).map(name => (
                  <th key={name} scope="col" className="py-1 text-right font-normal">
                    {t(name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {groups.map(({ value, figures }) => (
                <tr key={value} className="border-t border-line">
                  <th scope="row" className="max-w-40 truncate py-1.5 text-left font-mono font-normal">
                    {value}
                  </th>
                  <td className="text-right tabular">{formatNumber(figures.requests, language)}</td>
                  <td className="text-right tabular">{formatNumber(figures.errors, language)}</td>
                  <td className="text-right tabular">
                    <MoneyText quota={figures.quota} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </Loaded>
  )
}

/** How the balance has changed in the last month. */
export function StatementOf({ user: { id } }: { readonly user: User }) {
  const t = usePersonText()
  const query = useQuery(statementQuery(id))
  return (
    <Loaded query={query}>
      {({ opening, credited, charged, debited, closing }) => (
        <KeyValues
          items={[
            { label: t('opening'), value: <MoneyText quota={opening} /> },
            { label: t('credited'), value: <MoneyText quota={credited} /> },
            { label: t('spent'), value: <MoneyText quota={charged} /> },
            { label: t('debited'), value: <MoneyText quota={debited} /> },
            { label: t('closing'), value: <MoneyText quota={closing} /> },
          ]}
        />
      )}
    </Loaded>
  )
}

interface MoreLinkProps {
  readonly screen: `/${string}`
  readonly search: Readonly<Record<string, string>>
  readonly children: string
}

/** Leads to the screen that has all of it. */
export const MoreLink = ({ screen, search, children }: MoreLinkProps) => (
  <ScreenLink screen={screen} search={search} className="text-small text-accent">
    {children}
  </ScreenLink>
)
