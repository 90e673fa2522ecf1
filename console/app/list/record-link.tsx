import { Link } from '@tanstack/react-router'
import type { z } from 'zod'
import { classes } from '../../ui/class-names.ts'
import { cleanSearch, type SearchParamsChange } from '../router/search-params.ts'

interface RecordLinkProps<Schema extends z.ZodObject> {
  readonly name: string
  /** Schema of the screen's search params. */
  readonly schema: Schema
  /** The search params that open the sheet. The others stay. */
  readonly open: SearchParamsChange<Schema>
  readonly className?: string
}

/** The name of a record as a link to its sheet over the list, so that it can be copied and opened in a tab of its own. */
export const RecordLink = <Schema extends z.ZodObject>({
  name,
  schema,
  open,
  className,
}: RecordLinkProps<Schema>) => (
  <Link
    to="."
    search={(before: object) => cleanSearch(schema, { ...before, ...open })}
    resetScroll={false}
    title={name}
    className={classes(
      'block max-w-56 truncate rounded-control text-left font-medium hover:text-accent hover:underline underline-offset-2',
      className,
    )}
  >
    {name}
  </Link>
)
