import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { classes } from '../../ui/class-names.ts'
import { canOpenScreen } from '../router/screens.ts'
import { cleanSearch, type SearchParamsChange } from '../router/search-params.ts'
import { useUser } from '../session/session.ts'

interface RecordLinkProps<Schema extends z.ZodObject> {
  readonly name: string
  /** Schema of the screen's search params. */
  readonly schema: Schema
  /** The search params that open the sheet. The others stay. */
  readonly open: SearchParamsChange<Schema>
  readonly className?: string
  /** Default: the name. */
  readonly children?: ReactNode
}

const LINK_CLASSES = 'rounded-control text-left hover:text-accent hover:underline underline-offset-2'

/** The name of a record as a link to its sheet over the list, so that it can be copied and opened in a tab of its own. */
export const RecordLink = <Schema extends z.ZodObject>({
  name,
  schema,
  open,
  className = 'font-medium',
  children = name,
}: RecordLinkProps<Schema>) => (
  <Link
    to="."
    search={(before: object) => cleanSearch(schema, { ...before, ...open })}
    resetScroll={false}
    title={name}
    className={classes('block max-w-56 truncate', LINK_CLASSES, className)}
  >
    {children}
  </Link>
)

interface ScreenLinkProps {
  /** The screen that the link leads to. */
  readonly screen: `/${string}`
  /** A path of the screen. Default: the screen's own. */
  readonly to?: string
  readonly search?: Readonly<Record<string, string>>
  /** Keeps the search params of the page, for links within one screen. */
  readonly keepsSearch?: boolean
  /** The accessible name of the link where the content is only a number. */
  readonly label?: string | undefined
  /** Shown where the content may be cut off. */
  readonly title?: string | undefined
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** A link to another screen; plain text where the build has no such screen or the reader may not open it. */
export function ScreenLink(props: ScreenLinkProps) {
  const { screen, to = screen, search = {}, keepsSearch = false, label, title, className, children } = props
  if (!canOpenScreen(screen, useUser())) return <span className={className}>{children}</span>
  return (
    <Link
      to={to}
      search={keepsSearch ? (before: object) => before : search}
      resetScroll={!keepsSearch}
      title={title}
      aria-label={label}
      className={classes(LINK_CLASSES, className)}
    >
      {children}
    </Link>
  )
}

interface NamedRecordProps {
  readonly id: number
  readonly keepsSearch?: boolean
  readonly label?: string
  readonly title?: string
  readonly className?: string
  /** The name, or a longer description of the record. */
  readonly children: ReactNode
}

export const ChannelLink = ({ id, ...link }: NamedRecordProps) => (
  <ScreenLink screen="/channel" to={`/channel/edit/${id}`} {...link} />
)

export const UserLink = ({ id, ...link }: NamedRecordProps) => (
  <ScreenLink screen="/user" to={`/user/edit/${id}`} {...link} />
)

/** For the reader's own tokens: the page of tokens has no others. */
export const TokenLink = ({ id, ...link }: NamedRecordProps) => (
  <ScreenLink screen="/token" search={{ edit: String(id) }} {...link} />
)

interface ModelLinkProps {
  readonly model: string
  readonly className?: string
}

/** The name of a model as a link to its prices. */
export const ModelLink = ({ model, className }: ModelLinkProps) => (
  <ScreenLink screen="/pricing" search={{ model }} className={className}>
    {model}
  </ScreenLink>
)
