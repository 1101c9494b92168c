/**
 * The server's HTTP: which requests are taken, in which thread they are answered, and how answers
 * and problems are written. Everything of Jetty is here.
 */
@NullMarked
package org.flowmon.deploy.serve.http;

import org.jspecify.annotations.NullMarked;
