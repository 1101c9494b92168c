/**
 * The server's HTTP: who may ask what, in which thread it is answered, and how answers and problems
 * are written. Everything of Jetty is here.
 */
@NullMarked
package org.flowmon.deploy.serve.http;

import org.jspecify.annotations.NullMarked;
