import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { z } from 'zod'
import type { Role } from '#contract/enums.ts'
import type { Status } from '#contract/status.ts'
import type { Language } from '../../ui/text/text.ts'

export type NavSection = 'use' | 'manage' | 'settings'

export interface NavItem {
  readonly label: string
  readonly to: string
}

export interface FoundRecord {
  readonly name: string
  /** An address of this console, with its search. */
  readonly href: string
}

export interface ScreenNav {
  readonly section: NavSection
  /** Place in its section; the specification's order in steps of ten. */
  readonly order: number
  readonly icon: LucideIcon
  /** Shown only when this holds, for items behind a flag. */
  readonly when?: (status: Status) => boolean
  /** The second key of `g x`. */
  readonly key?: string
  /** Items below this one, for example a chat for each configured link. */
  readonly items?: (status: Status) => readonly NavItem[]
}

export interface Screen {
  readonly path: `/${string}`
  /** More addresses of the same screen, below `path`: the screen stays mounted between them. */
  readonly below?: readonly `/${string}`[]
  /** Other addresses that lead to `path`. */
  readonly aliases?: readonly `/${string}`[]
  readonly role: Role
  /** Shown in the sidebar, the palette and the window's title. */
  readonly title: Readonly<Record<Language, string>>
  /**
   * `shell` has header and sidebar, `plain` no sidebar, `bare` neither. The page fills what is left, without padding and
   * footer, below the header in a `frame` and beside the sidebar in a `workspace`.
   */
  readonly layout?: 'shell' | 'plain' | 'bare' | 'frame' | 'workspace'
  readonly nav?: ScreenNav
  /** Records of this screen that match what was typed in the palette. Fetched only for those who may open it. */
  readonly find?: (typed: string, signal: AbortSignal) => Promise<readonly FoundRecord[]>
  /** What may stand in the address. Every field has a default. */
  readonly search?: z.ZodObject
  readonly load: () => Promise<ComponentType>
}

/** Declares a screen. The router and the sidebar find it by its folder. */
export const defineScreen = (screen: Screen): Screen => screen
