import { execFileSync } from 'node:child_process'
import { ROOT } from './folder.ts'

/** The pages of a YAML text, read with the parser of the lab's root file system, which is Patroni's. */
export function parseYaml(text: string): readonly unknown[] {
  const program = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))'
  const printed = execFileSync('chroot', [ROOT, 'python3', '-c', program], { input: text, encoding: 'utf8' })
  const pages: unknown = JSON.parse(printed)
  return Array.isArray(pages) ? pages : []
}
