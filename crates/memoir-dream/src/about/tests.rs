use super::*;
use proptest::prelude::*;

/// An older statement and a newer one.
type Pair = (&'static str, &'static str);

/// The newer takes the place of the older.
const ABOUT: [Pair; 192] = [
    ("we use npm for packages", "we moved to pnpm for packages"),
    ("we use npm for packages", "we switched to pnpm"),
    ("we use npm", "we moved from npm to pnpm"),
    ("our package manager is npm", "we moved from npm to pnpm"),
    ("our package manager is npm", "we use pnpm now"),
    ("install packages with npm", "we moved from npm to pnpm"),
    ("CI runs on Jenkins", "we moved CI from Jenkins to GitHub Actions"),
    ("CI runs on Jenkins", "CI is now on GitHub Actions"),
    ("CI runs on Jenkins", "CI runs on GitHub Actions now"),
    ("CI runs on Jenkins", "We migrated our CI to GitHub Actions"),
    ("CI runs on Jenkins", "we use GitHub Actions for CI now"),
    ("we use Jenkins for CI", "CI runs on GitHub Actions now"),
    ("we use Jenkins for CI", "we no longer use Jenkins for CI"),
    ("we use Jenkins for CI", "we no longer use Jenkins"),
    ("the staging port is 5433", "staging port changed to 5434"),
    ("the staging port is 5433", "the port is 5434 now"),
    ("the staging port is 5433", "Actually the staging port is 5434 now"),
    ("the staging port is 5433", "Correction: our staging port is 5434."),
    ("the staging port is 5433", "the staging port is 5434"),
    ("the staging port is 5433", "staging now listens on port 5434"),
    ("postgres listens on 5433", "postgres listens on 5434"),
    ("deploys go through ./ship", "./ship is deprecated, use ./scripts/release"),
    ("deploys go through ./ship", "./ship was replaced by ./scripts/release"),
    ("deploys go through ./ship", "the deploy script moved from ./ship to ./scripts/release"),
    ("deploys go through ./ship", "deploys go through make deploy instead of ./ship"),
    ("deploys go through ./ship", "deploy with make deploy from now on, not ./ship"),
    ("deploys go through ./ship", "we stopped deploying with ./ship, we use make deploy"),
    ("deploys go through ./ship", "deploys go through kubectl"),
    ("deploys go through ./ship", "deploys go through ./ship behind the gate"),
    ("the main branch is master", "we renamed master to main"),
    ("the main branch is master", "the main branch is called main now"),
    ("the default branch is master", "the default branch is main"),
    ("Node version is 18", "we upgraded to Node 20"),
    ("Node version is 18", "We're on Node 22 now"),
    ("Our Node version is 18.", "We upgraded Node to 22."),
    ("We upgraded Node from 16 to 18.", "Our Node version is 22."),
    ("we use Node 18", "we use Node 20"),
    ("we target Python 3.10", "we target Python 3.12"),
    ("we're using Rust 1.80", "we upgraded to Rust 1.85"),
    ("set timeout to 30s", "set timeout to 60s"),
    ("timeout is 30 seconds", "timeout was raised to 60 seconds"),
    ("the timeout is 30 seconds", "the timeout is 1 minute"),
    ("line length limit: 80", "line length limit: 100"),
    ("max line length is 80", "max line length is 100"),
    ("DB_PORT=5433 on staging", "DB_PORT=5434 on staging"),
    ("sessions are stored in Redis", "sessions are stored in Postgres"),
    ("secrets are stored in Vault", "secrets are stored in AWS Secrets Manager"),
    ("Alice is the on-call lead", "Bob is the on-call lead"),
    ("Anna is the product owner", "Ben is the product owner"),
    ("the on-call lead is Alice", "Bob is the on-call lead now"),
    ("never push to main on Fridays", "it's fine to push to main on Fridays now"),
    ("Never use lodash", "You can use lodash again"),
    ("Mara owns the billing service", "Jo now owns the billing service"),
    ("billing is owned by Mara", "Jo owns billing"),
    ("I prefer dark mode", "I no longer prefer dark mode"),
    ("I prefer dark mode", "I prefer light mode"),
    ("Always run make lint before pushing", "We don't run make lint before pushing anymore"),
    ("Always run tests before pushing.", "You no longer need to run tests before pushing."),
    ("Always run the linter before committing.", "We no longer run the linter."),
    ("Never deploy on Fridays.", "It's fine to deploy on Fridays"),
    ("Never push to main.", "Pushing to main is fine"),
    ("never push to main directly", "pushing to main directly is okay now"),
    ("The staging host is eagle", "The staging host changed to hawk.internal:80"),
    ("The prod database is db1", "The prod database moved to db2.internal:5432"),
    ("The DB host is db1.internal", "The database host is db2.internal"),
    ("linter is ruff", "linter is flake8"),
    ("the build tool is make", "the build tool is just"),
    ("the release branch is main", "the release branch is trunk"),
    ("the test database is called foo", "the test database is called bar"),
    ("My editor is vim.", "My editor is helix."),
    ("use yarn", "use bun instead"),
    ("we use npm", "we use pnpm now"),
    ("We use npm for packages.", "We use pnpm for packages now."),
    ("we use npm for packages", "we now use pnpm for packages"),
    ("we deploy on Mondays", "we deploy on Wednesdays now"),
    ("The release day is Tuesday.", "The release day is no longer Tuesday, it's Thursday."),
    ("the release day is Friday", "the release day is Tuesday"),
    ("standup is at 9:30", "standup is at 10:00"),
    ("use moment for dates", "use date-fns instead of moment"),
    ("use moment for dates", "use date-fns, not moment, for dates"),
    ("use moment for dates", "prefer date-fns over moment"),
    ("prefer unittest", "prefer pytest over unittest"),
    ("We decided to use Kafka for events.", "We decided to use NATS for events instead of Kafka."),
    ("We decided to use Redis for caching.", "We decided not to use Redis for caching after all."),
    ("we use REST", "we replaced REST with GraphQL"),
    ("the frontend is written in Vue", "the frontend was rewritten in React"),
    ("the frontend is in Vue", "the frontend is in React"),
    ("the API base url is https://api.old.example.com", "the API base url is https://api.new.example.com"),
    ("tests need Docker", "tests no longer need Docker"),
    ("tests require a running Postgres", "tests don't require a running Postgres anymore"),
    ("use tabs for indentation", "use spaces for indentation"),
    ("use tabs", "use spaces"),
    ("use 2 spaces for indentation", "use 4 spaces for indentation"),
    ("we prefer tabs over spaces", "we prefer spaces over tabs"),
    ("we moved from npm to pnpm", "we moved from pnpm to npm"),
    ("run the migration before the deploy", "run the migration after the deploy"),
    ("the cache is turned on in staging", "the cache is turned off in staging"),
    ("merge main into the release branch", "merge the release branch into main"),
    ("Use C for the driver", "Use C++ for the driver"),
    ("tests run on CI only", "tests run locally only"),
    ("staging is at 10.0.0.1", "staging is at 10.0.0.2"),
    ("Answer in English", "Answer in German"),
    ("use npm", "never use npm"),
    ("integration tests run in docker on CI", "integration tests never run in CI"),
    ("Wir verwenden Jenkins", "Wir verwenden jetzt GitLab"),
    ("Wir benutzen npm", "Wir sind von npm auf pnpm umgestiegen"),
    ("der Port ist 5433", "der Port ist jetzt 5434"),
    ("der Port ist 5433", "der Port wurde auf 5434 geändert"),
    ("Wir nutzen npm", "Wir nutzen pnpm statt npm"),
    ("nous utilisons npm", "nous sommes passés de npm à pnpm"),
    ("nous utilisons npm", "nous n'utilisons plus npm"),
    ("le port est 5433", "le port est désormais 5434"),
    ("usamos npm", "usamos pnpm en lugar de npm"),
    ("el puerto es 5433", "el puerto ahora es 5434"),
    ("usamos npm", "ya no usamos npm"),
    ("我们使用 npm", "我们现在使用 pnpm"),
    ("端口是 5433", "端口改为 5434"),
    ("我们用 npm", "我们从 npm 换成了 pnpm"),
    ("primary region for the shop board is us-east-1", "primary region for the shop board is now eu-west-2"),
    ("the api gateway is nginx", "the api gateway is traefik"),
    ("the api gateway is nginx", "the api gateway was replaced with traefik"),
    ("we host on Heroku", "we moved from Heroku to Fly.io"),
    ("we host on Heroku", "we host on Fly.io now"),
    ("the app is hosted on Heroku", "the app moved to Fly.io"),
    ("feature flags live in LaunchDarkly", "feature flags moved to Unleash"),
    ("tickets are tracked in Jira", "tickets are tracked in Linear"),
    ("the retry limit is 3", "the retry limit is now 5"),
    ("max upload size is 10 MB", "max upload size is 25 MB"),
    ("max upload size is 10 MB", "the max upload size went up to 25 MB"),
    ("passwords are hashed with bcrypt", "passwords are hashed with argon2"),
    ("passwords are hashed with bcrypt", "we switched password hashing from bcrypt to argon2"),
    ("the default locale is en-US", "the default locale is de-DE"),
    ("Tom maintains the parser", "Ana maintains the parser now"),
    ("Tom is responsible for releases", "Ana is responsible for releases"),
    ("releases are handled by Tom", "releases are handled by Ana"),
    ("the design doc is in Notion", "the design doc moved to Confluence"),
    ("logs go to Splunk", "logs go to Datadog now"),
    ("we use black for formatting", "we use ruff for formatting"),
    ("always squash commits before merging", "you don't have to squash commits before merging anymore"),
    ("don't use global state", "global state is fine"),
    ("don't touch the legacy folder", "you can touch the legacy folder now"),
    ("staging runs Postgres 14", "staging runs Postgres 16"),
    ("we are on React 17", "we upgraded to React 18"),
    ("the Python version is 3.11", "we bumped Python to 3.12"),
    ("master is the default branch", "main is the default branch"),
    ("deployments happen on Tuesdays", "deployments happen on Thursdays now"),
    ("the queue is RabbitMQ", "we replaced RabbitMQ with Kafka"),
    ("we use Terraform for infrastructure", "we dropped Terraform in favor of Pulumi"),
    ("we use Terraform for infrastructure", "we stopped using Terraform"),
    ("we cache with Redis", "we no longer cache with Redis"),
    ("I prefer short answers", "I prefer detailed answers now"),
    ("my timezone is CET", "my timezone is PST"),
    ("I work at Initech", "I work at Globex now"),
    ("the auth module uses JWT", "the auth module now uses sessions instead of JWT"),
    ("the server listens on 8080", "the server listens on port 9090"),
    ("the server listens on port 8080", "the server was moved to port 9090"),
    ("the build takes 10 minutes", "the build takes 5 minutes now"),
    ("the build takes 10 minutes", "the build takes 5 minutes"),
    ("use 4 spaces", "use 2 spaces"),
    ("indent with tabs", "indent with spaces"),
    ("line endings are LF", "line endings are CRLF"),
    ("the CLI is called foo", "the CLI was renamed to bar"),
    ("the license is MIT", "the license changed to Apache-2.0"),
    ("Kafka is our message bus", "NATS is our message bus"),
    ("our message bus is Kafka", "we are migrating from Kafka to NATS"),
    ("the billing team owns invoices", "the payments team owns invoices"),
    ("the primary color is blue", "the primary color is green"),
    ("the theme is dark", "the theme is light"),
    ("never commit to main", "committing to main is allowed"),
    ("run migrations manually", "run migrations automatically"),
    ("the sprint ends on Thursday", "the sprint ends on Friday"),
    ("the demo is on Monday", "the demo was moved to Wednesday"),
    ("API keys live in 1Password", "API keys live in Vault now"),
    ("coverage must be at least 80%", "coverage must be at least 90%"),
    ("the coverage threshold is 80%", "the coverage threshold is 90%"),
    ("we deploy with Helm", "we deploy with Kustomize instead"),
    ("use fetch for http", "use axios instead of fetch"),
    ("die Datenbank ist Postgres", "die Datenbank ist jetzt MySQL"),
    ("nous utilisons Jenkins pour la CI", "nous utilisons GitLab pour la CI maintenant"),
    ("el servidor es atlas-01", "el servidor ahora es atlas-02"),
    ("数据库是 Postgres", "数据库改为 MySQL"),
    ("the server has 3 replicas", "the server has 5 replicas"),
    ("the cron runs at 03:00", "the cron runs at 04:30"),
    ("the frontend talks to the api over gRPC", "the frontend talks to the api over REST now"),
    ("use snake_case for json fields", "use camelCase for json fields"),
    ("the cache TTL is 60 seconds", "cache TTL was lowered to 30 seconds"),
    ("we use Sentry for errors", "we use Rollbar for errors now"),
    ("the mobile app targets iOS 15", "the mobile app targets iOS 16"),
    ("run tests with cargo nextest", "we switched from cargo nextest to cargo test"),
    ("secrets go in .env", "secrets go in Vault now"),
    ("the docs are built with mkdocs", "the docs are built with sphinx"),
    ("we support Python 3.9", "we dropped support for Python 3.9"),
];

/// Both hold, in either order.
const APART: [Pair; 161] = [
    ("the database is Postgres", "the database is backed up nightly"),
    ("sessions are stored in Redis", "sessions are encrypted"),
    ("the CI is on GitHub", "the CI is slow on Mondays"),
    ("billing is owned by Mara", "billing is in maintenance mode"),
    ("the worker runs on port 9000", "the worker runs as root"),
    ("migrations are in db/migrations", "migrations are run by flyway"),
    ("docs live in docs/", "docs live on the wiki too"),
    ("the api is in Go", "the api is documented in docs/api.md"),
    ("deploy to eu-west-1", "deploy to us-east-1"),
    ("npm audit fails on CI", "we moved from npm to pnpm"),
    ("the npm registry is verdaccio.local", "we moved from npm to pnpm"),
    ("npm tokens live in 1Password", "we moved from npm to pnpm"),
    ("redis is used for the job queue", "we dropped redis as a session store"),
    ("we use npm for the website", "we moved the api from npm to pnpm"),
    ("the login page is slow", "the login page is at /auth/login"),
    ("auth.rs is in crates/core", "auth.rs is generated, never edit it"),
    ("the release branch is cut on Mondays", "the release branch is protected"),
    ("tests run in Docker", "tests run nightly"),
    ("tests run in Docker", "tests run in CI"),
    ("tests run in Docker", "tests run in parallel"),
    ("we removed the redis cache", "redis is still used for the job queue"),
    ("the API listens on port 8080", "the metrics endpoint listens on port 9090"),
    ("staging is at 10.0.0.1", "production is at 10.0.0.2"),
    ("staging database port is 5433", "production database port is 5432"),
    ("the backend is written in Go", "the frontend is written in React"),
    ("use pnpm in web", "use npm in the docs site"),
    ("unit tests run with vitest", "e2e tests run with playwright"),
    ("Alice owns billing", "Bob owns search"),
    ("we use Redis for caching", "we use Redis for sessions"),
    ("we use Redis for caching", "we use Postgres for storage"),
    ("we use Redis for the app", "we use Postgres for the app"),
    ("we use npm", "we use Docker"),
    ("we use Docker", "we use pnpm now"),
    ("we use Docker for builds", "we switched to pnpm"),
    ("use pytest", "use bun instead"),
    ("run npm install before the tests", "run npm test before a commit"),
    ("we moved from npm to pnpm", "the npm token is in 1Password"),
    ("the release script is scripts/release.sh", "the deploy script is scripts/deploy.sh"),
    ("on macOS use brew", "on Linux use apt"),
    ("logs of the api go to stdout", "logs of the worker go to /var/log/worker.log"),
    ("timeout of login is 30s", "timeout of upload is 60s"),
    ("timeouts of redis are 5s", "timeouts of postgres are 5s"),
    ("Alice likes tabs", "Bob likes spaces"),
    ("the build takes 5 minutes", "the build is cached"),
    ("the build is slow", "the build is cached"),
    ("the server is down on Sundays", "the server is in Frankfurt"),
    ("the api is in Go", "the api is in Frankfurt"),
    ("the office is in Berlin", "the office is in use by two teams"),
    ("the office is in Berlin", "the office is loud and the coffee is bad"),
    ("branch names start with feat/", "commit messages start with feat:"),
    ("use jest for unit tests", "use cypress instead of selenium for e2e tests"),
    ("prod deploys need approval", "staging deploys need no approval"),
    ("the iOS app uses Swift", "the Android app uses Kotlin"),
    ("the auth service uses Postgres", "the auth service uses Redis"),
    ("test in Chrome", "test in Firefox"),
    ("the cache is Redis", "the queue is Redis"),
    ("Redis is the cache", "Redis is the queue"),
    ("John is on vacation until May", "Mary is on vacation until June"),
    ("lint runs on CI", "tests run on CI"),
    ("dropped support for IE11", "IE11 users see a banner"),
    ("the user table is in schema public", "the orders table is in schema sales"),
    ("v1 API is deprecated", "v2 API is stable"),
    ("the user service is in Go", "the user service has 3 replicas"),
    ("the config file is config.toml", "the config file is read at startup"),
    ("Never log PII", "Never log secrets"),
    ("We use pytest.", "We use unittest for the legacy module."),
    ("We decided to use Postgres", "The Postgres port is 5433"),
    ("a staging deploy needs approval of Mara", "a production deploy needs approval of Mara"),
    ("unit tests of the parser live in tests/parser", "unit tests of the lexer live in tests/lexer"),
    ("timeout of the login request is 30 seconds", "timeout of the upload request is 30 seconds"),
    ("Mara owns the billing service", "Mara owns the search service"),
    ("run make lint before a commit", "run make test before a commit"),
    ("the good one is here", "the other good one is here"),
    ("Alice reviews Bob", "Bob reviews Alice"),
    ("unit tests never touch the network", "integration tests touch the network"),
    ("tests need docker", "the editor has dark mode"),
    ("push hotfixes straight to main", "do not push to main without review"),
    ("Never use panic in library code.", "Never use unwrap in library code."),
    ("Always run the formatter before committing.", "Always run the linter before committing."),
    ("Never push to release without a review.", "Never push to main without a review."),
    ("Always use expect in library code", "Never use unwrap in library code"),
    ("Always deploy to staging before Monday", "Always deploy to production before Monday"),
    ("Use Docker in the web app", "Use pnpm in the web app"),
    ("Never use any in TypeScript.", "Never use var in TypeScript."),
    ("Never push to main", "Never push to main on Fridays without telling Mara"),
    ("Never push to main on Fridays", "Never push to main"),
    ("Answer with examples", "Answer in short sentences"),
    ("Answer in German", "Answer in short sentences"),
    ("the linter is ruff", "the linter is strict"),
    ("the timeout is 30s", "the timeout is 60s in tests"),
    ("the server has 3 replicas", "the server has 64 GB of memory"),
    ("kubectl is used for debugging", "deploys go through ./ship, never kubectl"),
    ("we use npm for packages", "deploys go through make deploy instead of ./ship"),
    ("use npm", "use npm audit"),
    ("the staging port is 5433", "we moved the staging server to Frankfurt"),
    ("the frontend is written in Vue", "the frontend is tested with vitest"),
    ("docs are in docs/", "the docs site is built with mkdocs"),
    ("we deploy on Mondays", "we deploy on Wednesdays"),
    ("the port is 8080", "the port is open"),
    ("the project uses Rust", "the project uses Docker"),
    ("primary region for the shop board is us-east-1", "update style for the shop board is timeline first"),
    ("primary region for the shop board is us-east-1", "backup region for the shop board is us-east-1"),
    ("we use underscore", "you can use lodash again"),
    ("the app is hosted on Heroku", "the app is written in Ruby"),
    ("feature flags live in LaunchDarkly", "feature flags are reviewed monthly"),
    ("the retry limit is 3", "retries use exponential backoff"),
    ("Tom maintains the parser", "Tom is on vacation"),
    ("the design doc is in Notion", "the design doc is out of date"),
    ("we use black for formatting", "we use ruff for linting"),
    ("always squash commits before merging", "always rebase before merging"),
    ("the staging db password rotates weekly", "the staging db runs on port 5433"),
    ("we are on React 17", "React Query is used for fetching"),
    ("the main branch is protected", "the main branch is called trunk"),
    ("the API is versioned via headers", "the API is rate limited"),
    ("we use GitLab for code review", "we use Slack for alerts"),
    ("the queue is RabbitMQ", "RabbitMQ needs 2 GB of memory"),
    ("RabbitMQ needs 2 GB of memory", "we replaced RabbitMQ with Kafka"),
    ("the RabbitMQ dashboard is on port 15672", "we replaced RabbitMQ with Kafka"),
    ("I like short answers", "I like long answers"),
    ("my name is Jana", "I live in Berlin"),
    ("I live in Berlin", "I moved to Hamburg"),
    ("the on-call rotation is weekly", "the on-call rotation is managed in PagerDuty"),
    ("the auth module uses JWT", "the auth module is in src/auth"),
    ("the server listens on port 8080", "the server listens on IPv6 too"),
    ("commit messages follow conventional commits", "commit messages are in English"),
    ("the CLI is called foo", "the CLI has two subcommands"),
    ("the license is MIT", "the license header is required"),
    ("Mara is the lead of billing", "Mara is the lead of search"),
    ("Mara is a backend engineer", "Jo is a backend engineer"),
    ("never commit to main", "never commit secrets"),
    ("the sprint ends on Thursday", "the sprint has 10 days"),
    ("the demo is on Monday", "the demo is on staging"),
    ("API keys live in 1Password", "API keys are rotated monthly"),
    ("we deploy with Helm to Kubernetes", "we deploy on Fridays"),
    ("Use the staging API for tests", "Use the production API for demos"),
    ("Wir deployen montags", "Wir benutzen Docker"),
    ("die Datenbank ist Postgres", "die Datenbank läuft auf Port 5433"),
    ("Bitte nie auf main pushen", "Bitte nie auf release pushen"),
    ("Mara ist für Billing zuständig", "Jo ist für Search zuständig"),
    ("la base de données est Postgres", "la base de données est sur le port 5433"),
    ("la base de datos es Postgres", "la base de datos está en el puerto 5433"),
    ("数据库是 Postgres", "数据库在 db1 上"),
    ("不要直接推送到 main", "不要使用 pip"),
    ("I use zsh", "I moved to Hamburg"),
    ("the worker has 2 threads", "the worker has 4 GB of memory"),
    ("the job fails on Mondays", "the job fails on macOS"),
    ("the cron runs at 03:00", "the cron runs on host-7"),
    ("we meet on Tuesday", "we meet in room 5"),
    ("the frontend talks to the api over gRPC", "the frontend talks to the search service over gRPC"),
    ("Jo reviews frontend changes", "Ana reviews frontend changes"),
    ("error codes are in src/errors.rs", "error codes are stable across releases"),
    ("use snake_case for json fields", "use camelCase for query parameters"),
    ("the cache TTL is 60 seconds", "the cache is invalidated on deploy"),
    ("staging uses a shared database", "staging uses TLS"),
    ("we use Sentry for errors", "we use Sentry for performance"),
    ("use pnpm", "use Node 20"),
    ("the mobile app targets iOS 15", "the mobile app is written in Swift"),
    ("releases are tagged v1.2.3", "releases are cut from main"),
    ("run cargo fmt before every commit", "run cargo clippy before every commit"),
    ("ssh into bastion-1 first", "the bastion host is bastion-1"),
    ("we support Python 3.9", "we support Python 3.10"),
];

/// One denies the other, or part of it.
const AGAINST: [Pair; 6] = [
    ("push to main", "never push to main on Fridays"),
    ("deploy from main", "never deploy from main on Fridays"),
    ("integration tests run in docker", "integration tests never run in docker on CI"),
    ("the linter is ruff and the formatter is black", "the linter is flake8"),
    ("we use npm", "we moved the api from npm to pnpm"),
    ("Never push to main on Fridays", "You can push to main"),
];

/// They say the same, in either order.
const EQUAL: [Pair; 5] = [
    ("We deploy with ./ship", "we deploy with the ./ship"),
    ("the staging port is 5433", "staging port remains 5433."),
    ("Result: the build is green", "Outcome: confirmed outcome: the build is green"),
    ("the staging port is 5433", "5433 is the staging port"),
    ("we don't use npm", "we do not use npm"),
];

fn wrong(pairs: &[Pair], wanted: Likeness) -> Vec<String> {
    let told = |(older, newer): &Pair| {
        let like = likeness(newer, older);
        (like != wanted).then(|| format!("{older} / {newer}: {like:?}"))
    };
    pairs.iter().filter_map(told).collect()
}

fn turned(pairs: &[Pair]) -> Vec<Pair> {
    pairs.iter().map(|(older, newer)| (*newer, *older)).collect()
}

#[test]
fn a_newer_statement_about_the_same_thing_takes_the_place_of_the_older() {
    assert_eq!(wrong(&ABOUT, Likeness::About), [""; 0]);
}

#[test]
fn what_is_true_beside_another_statement_does_not_take_its_place() {
    assert_eq!(wrong(&APART, Likeness::Apart), [""; 0]);
}

#[test]
fn what_is_denied_in_part_is_against_the_other() {
    assert_eq!(wrong(&AGAINST, Likeness::Against), [""; 0]);
}

#[test]
fn what_is_said_again_in_little_other_words_is_equal() {
    assert_eq!(wrong(&EQUAL, Likeness::Equal), [""; 0]);
    assert_eq!(wrong(&turned(&EQUAL), Likeness::Equal), [""; 0]);
}

#[test]
fn a_fuller_statement_is_known_from_a_briefer_one() {
    let meet = |newer: &str, older: &str| Statement::of(newer).meets(&Statement::of(older));
    let brief = "rollback plan approved for the board";
    assert_eq!(meet("rollback plan for the board approved by Mara", brief), Meets::Fuller);
    assert_eq!(meet(brief, "rollback plan for the board approved by Mara"), Meets::Briefer);
}

#[test]
fn a_change_names_what_was_left_and_what_came() {
    let left = |text: &str| change_in(text).left;
    let both = |left: &str, came: &str| Change { left: vec![left.into()], came: vec![came.into()] };
    assert_eq!(change_in("we moved from npm to pnpm"), both("npm", "pnpm"));
    assert_eq!(change_in("pnpm replaces npm"), both("npm", "pnpm"));
    assert_eq!(change_in("replaced Jest with Vitest"), both("jest", "vitest"));
    assert_eq!(change_in("use pnpm instead of npm"), both("npm", "pnpm"));
    assert_eq!(left("we no longer use Jenkins."), ["jenkins"]);
    assert_eq!(left("stopped using redis for sessions"), ["redis"]);
    assert_eq!(left("Wir nutzen pnpm statt npm"), ["npm"]);
    assert_eq!(change_in("deploys go through ./ship"), Change::default());
}

proptest! {
    #[test]
    fn any_two_texts_can_be_compared(a in ".*", b in "([a-z]{1,4} ?){0,8}") {
        let (first, second) = (Statement::of(&a), Statement::of(&b));
        prop_assert_eq!(first.meets(&first), Meets::Same);
        prop_assert_eq!(first.key() == second.key(), first.stems == second.stems && first.denies == second.denies);
        prop_assert_eq!(first.meets(&second) == Meets::Same, second.meets(&first) == Meets::Same);
    }

    #[test]
    fn statements_of_the_same_words_can_be_compared(
        a in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..9),
        b in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..9),
    ) {
        let (a, b) = (a.join(" "), b.join(" "));
        prop_assert_eq!(likeness(&a, &a), Likeness::Equal);
        prop_assert_eq!(likeness(&a, &b) == Likeness::Equal, likeness(&b, &a) == Likeness::Equal);
    }
}

const WORDS: [&str; 24] = [
    "we", "use", "npm", "pnpm", "not", "now", "the", "port", "is", "5433", "moved", "from", "to", "instead", "of",
    "for", "packages", "and", "never", "it", "runs", "on", ",", "Mara",
];
