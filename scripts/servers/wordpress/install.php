<?php
// install.php ROOT UPLOADS USERNAME=ROLE…: sets up an empty site and prints {"USERNAME": "APPLICATION PASSWORD"}.
[, $root, $uploads] = $argv;
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = '127.0.0.1';
$_SERVER['REQUEST_URI'] = '/';
require $root . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';

ob_start();
wp_install('Test', 'owner', 'owner@example.test', true, '', wp_generate_password());
update_option('permalink_structure', '/%postname%/');
$wp_rewrite->init();
$wp_rewrite->flush_rules(false);
// The files of WordPress itself are shared by all servers that run.
update_option('upload_path', $uploads);
update_option('upload_url_path', WP_HOME . '/uploads');
ob_end_clean();

$passwords = [];
foreach (array_slice($argv, 3) as $account) {
    [$name, $role] = explode('=', $account);
    $id = wp_insert_user([
        'user_login' => $name,
        'user_email' => $name . '@example.test',
        'user_pass' => wp_generate_password(),
        'role' => $role,
    ]);
    [$passwords[$name]] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'headway']);
}
echo json_encode($passwords);
