// The pages as a site with search: npm ci && npm run build, in this folder. The result is .vitepress/dist.
import {writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

// The pages are outside this folder, where its modules are not looked for.
const vue = join(dirname(fileURLToPath(import.meta.url)), '../node_modules/vue')

const page = (text, name) => ({text, link: '/docs/' + name})

const operators = [
    page('Install', 'install-hdfs'), page('What runs', 'hdfs'), page('A codec of our own', 'own-codec'), page('Kernels', 'kernels'),
    page("Hadoop's suites", 'hadoop-suite'), page('Figures', 'performance/hdfs-codec'),
]

const users = [
    page('Install', 'install-spark'), page('Coded inference', 'coded-inference'), page('Coded inference: how it works', 'coded-inference-inside'),
    page('Spark ML', 'spark-ml'), page('Models', 'inference'), page('Accuracy', 'accuracy'), page('Serving', 'serving'),
    page('Serving: the protocol', 'serving-protocol'), page('Serving: how it works', 'serving-inside'), page('Protection', 'protection'),
    page('Screening', 'screening'), page('Datasets and checkpoints', 'erasure-coding-on-spark'), page('Shuffles', 'shuffle'),
    page('Recommendation models', 'recommendation-training'), page('Parameter servers', 'parameter-servers'),
    page('Parameter servers: how they work', 'parameter-servers-inside'), page('GPUs', 'gpu'), page('GPUs: the library', 'gpu-library'),
    {text: 'Examples', link: '/examples/README'}, page('Figures: data', 'performance/spark-ec'),
    page('Figures: inference', 'performance/spark-inference'), page('Figures: screening', 'performance/screening'),
    page('Figures: GPUs', 'performance/gpu'),
]

const contributors = [
    {text: 'Contributing', link: '/CONTRIBUTING'}, page('GPUs: the kernels', 'gpu-kernels'), page('Releases', 'release'),
    {text: 'Changes', link: '/CHANGELOG'},
]

const reference = [
    page('When not to use it', 'when-not'), page('Security', 'security'), page('Monitoring', 'monitoring'),
    page('Troubleshooting', 'troubleshooting'), page('Settings', 'configuration'), page('Programs', 'cli'),
    page('API', 'api'), page('Unit files', 'format'), page('Glossary', 'glossary'), page('Performance', 'performance/README'),
]

export default {
    title: 'Paritas',
    description: 'Coding theory for Apache Hadoop and Apache Spark',
    srcDir: '..',
    srcExclude: ['**/target/**', '**/node_modules/**', '**/src/**', 'it/**', 'gpu/**'],
    // Files of the sources, which are not pages.
    ignoreDeadLinks: [/\/src\//, /\/(NOTICE|LICENSE)$/, /\.sh$/],
    markdown: {html: false},
    vite: {
        resolve: {
            alias: [
                {find: /^vue\/server-renderer$/, replacement: join(vue, 'server-renderer/index.mjs')},
                {find: /^vue$/, replacement: join(vue, 'dist/vue.runtime.esm-bundler.js')},
            ],
        },
    },
    themeConfig: {
        search: {provider: 'local'},
        nav: [
            {text: 'HDFS operator', link: '/docs/install-hdfs'},
            {text: 'Spark user', link: '/docs/install-spark'},
            {text: 'Contributor', link: '/CONTRIBUTING'},
        ],
        sidebar: [
            {text: 'HDFS operator', items: operators},
            {text: 'Spark user', items: users},
            {text: 'Contributor', items: contributors, collapsed: true},
            {text: 'Reference', items: reference},
        ],
        outline: [2, 3],
    },
    buildEnd({outDir}) {
        writeFileSync(join(outDir, 'index.html'), '<meta http-equiv="refresh" content="0; url=docs/README.html">\n')
    },
}
