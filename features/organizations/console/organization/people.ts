import { z } from 'zod'
import { NAME_LENGTH_MAX } from '../../contract/fields.ts'
import { ADDED_AT_ONCE_MAX } from '../../contract/members.ts'

interface Person {
  readonly name: string
  readonly email: string
}

const Address = z.email()

/**
 * The people of a text, one a line: a name, an address, or both with a comma between. Undefined for none, too many, or a
 * line that is wrong.
 */
export function toPeople(text: string): Person[] | undefined {
  const people = text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(toPerson)
  const areRight = people.length > 0 && people.every(isRight)
  return areRight && people.length <= ADDED_AT_ONCE_MAX ? people : undefined
}

function toPerson(line: string): Person {
  const [first = '', second = ''] = line.split(/[,，\t;]/).map(part => part.trim())
  if (second !== '' || !isAddress(first)) return { name: first, email: second }
  return { name: first.slice(0, first.indexOf('@')), email: first }
}

const isRight = ({ name, email }: Person): boolean =>
  name !== '' && [...name].length <= NAME_LENGTH_MAX && (email === '' || isAddress(email))

const isAddress = (text: string): boolean => Address.safeParse(text).success
