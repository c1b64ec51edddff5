export const GERMAN = {
  title: 'Ereignisse',
  views: {
    live: 'Live',
    schema: 'Schema',
    refused: 'Abgelehnt',
    trend: 'Verlauf',
    funnel: 'Trichter',
    retention: 'Wiederkehr',
    rows: 'Alle Ereignisse',
  },
  clear: 'Leeren',
  noName: 'Kein Ereignis mit diesem Namen',
  range: 'Zeitraum',
  ranges: { '24h': '24 Stunden', '7d': '7 Tage', '30d': '30 Tage', '90d': '90 Tage' },
  first: {
    title: 'Noch keine Ereignisse',
    text: 'Senden Sie das erste aus einem Terminal, mit einem Ihrer geheimen Schlüssel. Es erscheint hier binnen einer Sekunde.',
    command: 'Der Befehl, der ein Ereignis sendet',
  },
  tail: {
    title: 'Wie sie kommen',
    name: 'Nur Ereignisse mit diesem Namen',
    anyName: 'Jedes Ereignis',
    person: 'Nur Ereignisse dieser Benutzer-Id',
    personHint: 'Jede Person, oder eine Benutzer-Id',
    none: 'Kein Ereignis passt. Neue erscheinen hier, sobald sie kommen.',
    waiting:
      'Seit Sie diese Seite geöffnet haben, kam nichts. Sie sehen die Namen von Ereignissen und Merkmalen, und nichts über jemanden.',
    opening: 'Verbindet',
    live: 'Live',
    away: 'Verbindung verloren, neuer Versuch läuft',
    paused: 'Angehalten',
    pause: 'Anhalten',
    resume: 'Weiter',
    unseen: (count: string) => `${count} neue`,
    skipped: (count: string) => `${count} ausgelassen, sie kamen zu schnell.`,
    many: 'Einige',
    open: (name: string) => `${name} ganz zeigen`,
    visitor: 'Besucher',
    received: 'Empfangen',
    hidden: 'für Ihre Rolle nicht sichtbar',
  },
  rows: {
    title: 'Gespeicherte Ereignisse',
    newest: 'neueste zuerst',
    usual: 'die letzten 30 Tage, neueste zuerst',
    where: (attribute: string, value: string) =>
      value === '' ? `mit ${attribute}` : `${attribute} ist ${value}`,
    span: (from: string, to: string) => (to === '' ? `seit ${from}` : `${from} bis ${to}`),
  },
  refused: {
    all: (count: number, text: string) =>
      count === 1
        ? '1 Eintrag wurde in den letzten 7 Tagen abgelehnt.'
        : `${text} Einträge wurden in den letzten 7 Tagen abgelehnt.`,
    newest: (text: string) => `Die neuesten ${text} der letzten 7 Tage.`,
    noneTitle: 'Nichts wurde abgelehnt',
    noneText:
      'Jeder Eintrag der letzten 7 Tage ist gespeichert. Ein fehlerhafter Eintrag steht hier mit seinem Grund und dem, was zu ändern ist.',
    times: (count: number, text: string) => (count === 1 ? 'einmal' : `${text} mal`),
    everything: 'Alle abgelehnten Einträge',
    others: (text: string) => `und ${text} weitere dieser Art`,
    place: (index: number) => `Eintrag ${index} seines Aufrufs.`,
    entry: 'den Eintrag',
    cure: (field: string) =>
      `Ändern Sie ${field}, wie der Satz es sagt, und senden Sie den Eintrag noch einmal. Nichts davon wurde gespeichert.`,
    cures: {
      field_missing: (field: string) =>
        `Geben Sie ${field} in jedem Eintrag des Aufrufs an und senden Sie diesen noch einmal. Achten Sie auf die Schreibweise, auch groß und klein.`,
      field_empty: (field: string) =>
        `Geben Sie ${field} einen Wert oder lassen Sie das Feld weg, und senden Sie den Eintrag noch einmal.`,
      field_type: (field: string) =>
        `Senden Sie ${field} in der Form, die der Satz nennt, und dann den Eintrag noch einmal.`,
      field_invalid: (field: string) =>
        `Ändern Sie ${field}. Namen von Ereignissen bestehen aus Buchstaben, Ziffern, Leerzeichen, Unter- und Bindestrichen; alles andere gehört in Merkmale.`,
      field_too_long: (field: string) => `Kürzen Sie ${field} oder legen Sie den langen Teil in ein Merkmal.`,
      field_out_of_range: (field: string) => `Senden Sie ${field} in dem Bereich, den der Satz nennt.`,
      too_many_attributes: () =>
        'Senden Sie weniger Merkmale oder fassen Sie zusammengehörige in einem Objekt zusammen.',
      attribute_name_too_long: () => 'Kürzen Sie den Namen des Merkmals. Lange Texte gehören in seinen Wert.',
      attribute_type: (field: string) =>
        `Senden Sie ${field} als Text, Zahl, Ja/Nein, Datum, Objekt oder Liste von Objekten.`,
      object_too_deep: (field: string) =>
        `Machen Sie ${field} flacher: Legen Sie innere Objekte in eigene Merkmale.`,
      entry_too_large: () =>
        'Senden Sie weniger mit diesem Ereignis, zum Beispiel eine Id anstelle eines ganzen Dokuments.',
    },
  },
  schema: {
    search: 'Ein Ereignis nach den ersten Zeichen seines Namens suchen',
    searchHint: 'purchase, sign …',
    none: 'Kein Ereignis beginnt so.',
    names: 'Ereignisse',
    allRight: 'Jeder Wert hat den Typ seines Merkmals.',
    conflicts: (count: number) =>
      count === 1
        ? 'Ein Merkmal bekommt Werte eines anderen Typs:'
        : `${count} Merkmale bekommen Werte eines anderen Typs:`,
    conflict: 'Konflikt',
    provisional: 'nur von Browsern',
    count: 'Ereignisse',
    first: 'Zuerst gesehen',
    last: 'Zuletzt gesehen',
    attributes: 'Merkmale',
    noAttributes: 'Noch keine Merkmale.',
    attribute: 'Merkmal',
    type: 'Festgelegt auf',
    values: 'Werte',
    mistyped: 'Anderer Typ',
    lock: 'Festlegung',
    reset: 'Zurücksetzen',
    resetOf: (attribute: string) => `Festlegung von ${attribute} zurücksetzen`,
    next: 'Der nächste Wert eines Servers entscheidet',
    lockTo: (type: string) => `Auf ${type} festlegen`,
    types: {
      String: 'Text',
      Number: 'Zahl',
      Boolean: 'Ja oder nein',
      Date: 'Datum',
      Object: 'Objekt',
      'Array of Objects': 'Liste von Objekten',
    },
    opened: (attribute: string) =>
      `Der nächste Wert, den ein Server sendet, entscheidet über den Typ von ${attribute}.`,
    locked: (attribute: string, type: string) =>
      `${attribute} ist auf ${type} festgelegt. Gespeicherte Werte werden binnen einer Minute neu sortiert.`,
    mistypedNote:
      'Der erste Wert legt den Typ fest. Werte eines anderen Typs stehen beiseite: Segmente und Abläufe sehen sie nicht. Ändern Sie den Absender, oder setzen Sie die Festlegung zurück, wenn der erste Wert der falsche war.',
    mayNot: 'Inhaber und Entwickler dürfen eine Festlegung zurücksetzen.',
  },
  trend: {
    all: 'Alle Ereignisse',
    zone: 'Zeitzone',
    mine: (zone: string) => `${zone}, Ihre`,
    label: (name: string, total: string) =>
      name === ''
        ? `Alle Ereignisse im Zeitverlauf, ${total} insgesamt`
        : `${name} im Zeitverlauf, ${total} insgesamt`,
    events: (count: number, text: string) => (count === 1 ? '1 Ereignis' : `${text} Ereignisse`),
    rest: (zone: string) => `In der Zeitzone ${zone}. Der letzte Balken wächst noch.`,
    figures: 'Die Zahlen',
    span: 'Zeit',
    breakdown: 'Aufteilung',
    byName: 'Nach Ereignis',
    byAttribute: (attribute: string) => `Nach ${attribute}`,
    attribute: 'Merkmal, nach dem aufgeteilt wird',
    name: 'Ereignis',
    share: 'Anteil',
    count: 'Ereignisse',
    people: 'Personen',
    ltv: 'Wert',
    without: 'ohne',
    noValues: 'Kein Ereignis dieser Zeit hat es.',
  },
  funnel: {
    title: 'Von Schritt zu Schritt',
    within: 'Zeit vom ersten bis zum letzten Schritt',
    withins: { hour: 'In einer Stunde', day: 'Ein Tag', week: 'Eine Woche', month: '30 Tage' },
    add: 'Schritt hinzufügen',
    addFirst: 'Ersten Schritt wählen',
    remove: (name: string) => `Schritt ${name} entfernen`,
    hint: 'Wählen Sie zwei oder mehr Ereignisse in der Reihenfolge, in der Menschen sie tun. Jede Person zählt ab ihrem ersten Beginn im Zeitraum.',
    nobody: 'Niemand hat in dieser Zeit den ersten Schritt getan.',
    through: (last: string, first: string) => `gingen den ganzen Weg: ${last} von ${first} Personen`,
    lost: (count: string) => `${count} hörten auf`,
  },
  retention: {
    title: 'Wer wiederkommt',
    start: 'Begonnen mit',
    back: 'Wiedergekommen mit',
    any: 'Jedes Ereignis',
    unit: 'Zeitabschnitte',
    units: { day: 'Nach Tag', week: 'Nach Woche' },
    began: { day: 'Tag des Beginns', week: 'Woche des Beginns' },
    people: 'Personen',
    none: 'Niemand hat in dieser Zeit so begonnen.',
    answer: {
      day: 'kamen am Tag nach ihrem Beginn wieder',
      week: 'kamen in der Woche nach ihrem Beginn wieder',
    },
    cell: (count: string, users: string) => `${count} von ${users} Personen`,
  },
}
