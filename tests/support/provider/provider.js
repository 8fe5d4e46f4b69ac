/* A certified OIDC provider of others, with people who have any password: node provider.js PORT BACK */

import Provider from "oidc-provider";

const [port, back] = process.argv.slice(2);
const groups = { fay: ["controlling"], viv: ["readers", "all"], sam: ["all"], eve: ["readers"] };

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: "breakeven",
      client_secret: "known-to-both-alone",
      redirect_uris: [back],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["groups"] },
  cookies: { keys: ["of the test"] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: `${id}@example.com`,
      email_verified: id !== "eve",
      groups: groups[id],
    }),
  }),
});
provider.listen(Number(port), "127.0.0.1");
