// Who named a host: the user, or a text that a tool brought. As code_words.py has it.

export class Words {
  constructor(facts) {
    const [said, given] = [[], []];
    for (const turn of facts?.session?.turns ?? []) {
      said.push(...texts(turn?.user));
      given.push(...texts(turn?.source), ...texts(turn?.attached), ...texts(turn?.call?.result));
    }
    this.said = said.join("\n").toLowerCase();
    this.given = given.join("\n").toLowerCase();
  }

  // named tells whether the user named a host.
  named(host) {
    return stands(host, this.said);
  }

  // strange tells whether a text named a host, and the user did not.
  strange(host) {
    return stands(host, this.given) && !this.named(host);
  }
}

function texts(value) {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(texts) : [];
}

// stands tells whether a host stands in a text, and is no part of a longer one.
function stands(host, text) {
  const plain = host.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return host !== "" && new RegExp(`(?<![\\w.-])(?:www\\.)?${plain}(?![\\w-]|\\.\\w)`).test(text);
}
