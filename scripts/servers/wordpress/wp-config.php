<?php
// Copied to where WordPress looks for it. Each server that runs has its own database and address, which come from
// test/servers/support/startWordPress.ts by the environment.
$url = 'http://127.0.0.1:' . getenv('WORDPRESS_PORT');
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . getenv('WORDPRESS_DATABASE_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = 'wp_';

foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define($name . '_KEY', 'key of ' . $name);
    define($name . '_SALT', 'salt of ' . $name);
}
define('WP_HOME', $url);
define('WP_SITEURL', $url);
// Without it, application passwords are refused over plain HTTP.
define('WP_ENVIRONMENT_TYPE', 'local');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);

defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
